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

/* Which k, of edges along an axis, the differences of an interval have: `first` to `last`. */
struct rdf_images {
    float first, last;
};

RDF_INLINE struct rdf_images rdf_images_of(const struct rdf_box *box, const struct rdf_interval *d, int axis,
                                           struct rdf_reach *reach)
{
    const struct rdf_images k = {rdf_nearest(d->low[axis], box->inverse[axis]),
                                 rdf_nearest(d->high[axis], box->inverse[axis])};
    reach->axes |= k.first != 0 || k.last != 0 ? 1u << axis : 0;
    return k;
}

/* The least absolute value of those that have this k, which moved them into [low, high]: of the first k none are below
 * that, of the last none above. */
RDF_INLINE float rdf_least_of(struct rdf_images all, float k, float low, float high)
{
    return rdf_least(k == all.first ? low : -INFINITY, k == all.last ? high : INFINITY);
}

/* With the least absolute values along y and z: takes the least d^2 in. */
RDF_INLINE void rdf_reach_x(const struct rdf_box *box, const struct rdf_interval *d, float y, float z,
                            struct rdf_reach *reach)
{
    const struct rdf_images a = rdf_images_of(box, d, 0, reach);
    for (float k = a.first; k <= a.last; k++) {
        const float low = fmaf(-k, box->edge[0], d->low[0]), high = fmaf(-k, box->edge[0], d->high[0]);
        const float least[3] = {rdf_least_of(a, k, low, high), y, z};
        reach->nearest = fminf(reach->nearest, rdf_sum_squares(least));
    }
}

RDF_INLINE void rdf_reach_y(const struct rdf_box *box, const struct rdf_interval *d, float z, struct rdf_reach *reach)
{
    const struct rdf_images b = rdf_images_of(box, d, 1, reach);
    for (float k = b.first; k <= b.last; k++) {
        const float low = fmaf(-k, box->edge[1], d->low[1]), high = fmaf(-k, box->edge[1], d->high[1]);
        const struct rdf_interval moved = {{fmaf(-k, box->xy, d->low[0])}, {fmaf(-k, box->xy, d->high[0])}};
        rdf_reach_x(box, &moved, rdf_least_of(b, k, low, high), z, reach);
    }
}

/* All images that pairs may have, along z, then y, then x, as rdf_square. */
RDF_INLINE struct rdf_reach rdf_reach_skewed(const struct rdf_box *box, const struct rdf_interval *d)
{
    const float most[3] = {rdf_most(d->low[0], d->high[0]), rdf_most(d->low[1], d->high[1]),
                           rdf_most(d->low[2], d->high[2])};
    struct rdf_reach reach = {0, INFINITY, rdf_sum_squares(most)};
    const struct rdf_images c = rdf_images_of(box, d, 2, &reach);
    for (float k = c.first; k <= c.last; k++) {
        const float low = fmaf(-k, box->edge[2], d->low[2]), high = fmaf(-k, box->edge[2], d->high[2]);
        const struct rdf_interval moved = {{fmaf(-k, box->xz, d->low[0]), fmaf(-k, box->yz, d->low[1])},
                                           {fmaf(-k, box->xz, d->high[0]), fmaf(-k, box->yz, d->high[1])}};
        rdf_reach_y(box, &moved, rdf_least_of(c, k, low, high), &reach);
    }
    return reach;
}

/* Of all pairs whose differences, as they are rounded, are in [low, high]. */
RDF_INLINE struct rdf_reach rdf_reach_of(const struct rdf_box *box, const float low[3], const float high[3])
{
    const struct rdf_interval d = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    return box->form == RDF_TRICLINIC ? rdf_reach_skewed(box, &d) : rdf_reach_straight(box, low, high);
}

#endif
