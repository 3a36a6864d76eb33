/* What is known of all pairs between two cuboids, for `cuda`: whether any can be in range, and which images they have.
 *
 * It is exact, and needs no margin: subtractions, multiply-adds and minima, rounded as they are, are monotone in each
 * operand. So the definition's own operations on the ends of an interval of differences give the ends of an interval
 * that no pair's result leaves. Along an axis where every pair is its own nearest image, the search for one changes no
 * bit of d^2, and is left out. */
#ifndef RDF_CUDA_REACH_H
#define RDF_CUDA_REACH_H

#include "rdf.h"

struct rdf_bounds {
    float low[3], high[3]; /* of places */
};

struct rdf_reach {
    uint32_t axes;  /* those along which a pair may have a nearer image than itself: RDF_X … */
    float nearest;  /* no d^2 is less */
    float farthest; /* where there are no such axes: no d^2 is more */
};

/* Of the least and the largest value of a difference: those of its absolute value. */
RDF_INLINE float rdf_least(float low, float high)
{
    return fmaxf(fmaxf(low, -high), 0);
}

RDF_INLINE float rdf_most(float low, float high)
{
    return fmaxf(-low, high);
}

RDF_INLINE float rdf_sum_squares(const float d[3])
{
    return fmaf(d[0], d[0], fmaf(d[1], d[1], d[2] * d[2]));
}

/* rdf_shorter: the other image is nowhere nearer than at the far end. */
RDF_INLINE struct rdf_reach rdf_reach_straight(const struct rdf_box *box, const float low[3], const float high[3])
{
    struct rdf_reach reach = {0, 0, 0};
    float least[3], most[3];
    for (int axis = 0; axis < 3; axis++) {
        least[axis] = rdf_least(low[axis], high[axis]), most[axis] = rdf_most(low[axis], high[axis]);
        const float other = box->edge[axis] - most[axis];
        if (other < most[axis]) {
            reach.axes |= 1u << axis;
            least[axis] = fminf(least[axis], other);
        }
    }
    reach.nearest = rdf_sum_squares(least), reach.farthest = rdf_sum_squares(most);
    return reach;
}

/* Of differences. */
struct rdf_interval {
    float low[3], high[3];
};

/* One axis of a skewed box, with its edge: moves all of it along the edge. 0 where pairs differ in their k: nothing is
 * known of the axes behind then, and of this one that those of the first k stay above the lowest of them, those of the
 * last k below the highest. */
RDF_INLINE int rdf_reach_along(int axis, float inverse, const float edge[3], struct rdf_interval *d, uint32_t *axes,
                               float *least)
{
    const float first = rdf_nearest(d->low[axis], inverse), last = rdf_nearest(d->high[axis], inverse);
    if (first != last) {
        const float begin = fmaf(-first, edge[axis], d->low[axis]), end = fmaf(-last, edge[axis], d->high[axis]);
        *axes |= (2u << axis) - 1;
        *least = last - first > 1 ? 0 : fmaxf(fminf(begin, -end), 0);
        return 0;
    }
    *axes |= first != 0 ? 1u << axis : 0;
    for (int c = 0; c <= axis; c++)
        d->low[c] = fmaf(-first, edge[c], d->low[c]), d->high[c] = fmaf(-first, edge[c], d->high[c]);
    *least = rdf_least(d->low[axis], d->high[axis]);
    return 1;
}

/* Along z, then y, then x, as rdf_square. */
RDF_INLINE struct rdf_reach rdf_reach_skewed(const struct rdf_box *box, const float low[3], const float high[3])
{
    const float x[3] = {box->edge[0], 0, 0}, y[3] = {box->xy, box->edge[1], 0}, z[3] = {box->xz, box->yz, box->edge[2]};
    struct rdf_interval d = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    struct rdf_reach reach = {0, 0, 0};
    float least[3] = {0, 0, 0}, most[3];
    (void) (rdf_reach_along(2, box->inverse[2], z, &d, &reach.axes, &least[2]) &&
            rdf_reach_along(1, box->inverse[1], y, &d, &reach.axes, &least[1]) &&
            rdf_reach_along(0, box->inverse[0], x, &d, &reach.axes, &least[0]));
    for (int axis = 0; axis < 3; axis++)
        most[axis] = rdf_most(d.low[axis], d.high[axis]);
    reach.nearest = rdf_sum_squares(least), reach.farthest = rdf_sum_squares(most);
    return reach;
}

/* Of all pairs whose differences, as they are rounded, are in [low, high]. */
RDF_INLINE struct rdf_reach rdf_reach_of(const struct rdf_box *box, const float low[3], const float high[3])
{
    return box->form == RDF_TRICLINIC ? rdf_reach_skewed(box, low, high) : rdf_reach_straight(box, low, high);
}

#endif
