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

/* Moves an interval by k edges. */
RDF_INLINE void rdf_move(float k, float edge, float *low, float *high)
{
    *low = fmaf(-k, edge, *low), *high = fmaf(-k, edge, *high);
}

/* Along z, then y, then x: once pairs differ in their k, nothing is known of the axes that come behind. */
RDF_INLINE struct rdf_reach rdf_reach_skewed(const struct rdf_box *box, const float lowest[3], const float highest[3])
{
    const float sides[3][3] = {{box->edge[0], 0, 0}, {box->xy, box->edge[1], 0}, {box->xz, box->yz, box->edge[2]}};
    float low[3] = {lowest[0], lowest[1], lowest[2]}, high[3] = {highest[0], highest[1], highest[2]};
    float least[3] = {0, 0, 0}, most[3] = {0, 0, 0};
    struct rdf_reach reach = {0, 0, 0};
    for (int axis = 2; axis >= 0; axis--) {
        const float first = rdf_nearest(low[axis], box->inverse[axis]),
                    last = rdf_nearest(high[axis], box->inverse[axis]);
        if (first != 0 || last != 0)
            reach.axes |= 1u << axis;
        if (first != last) {
            /* Those of the first k are no lower than the lowest of them, those of the last no higher than the highest.
             */
            const float begin = fmaf(-first, box->edge[axis], low[axis]),
                        end = fmaf(-last, box->edge[axis], high[axis]);
            least[axis] = last - first > 1 ? 0 : fmaxf(fminf(begin, -end), 0);
            reach.axes |= (1u << axis) - 1;
            break;
        }
        for (int along = 0; along <= axis; along++)
            rdf_move(first, sides[axis][along], &low[along], &high[along]);
        least[axis] = rdf_least(low[axis], high[axis]), most[axis] = rdf_most(low[axis], high[axis]);
    }
    reach.nearest = rdf_sum_squares(least), reach.farthest = rdf_sum_squares(most);
    return reach;
}

/* Of all pairs whose differences, as they are rounded, are in [low, high]. */
RDF_INLINE struct rdf_reach rdf_reach_of(const struct rdf_box *box, const float low[3], const float high[3])
{
    return box->form == RDF_TRICLINIC ? rdf_reach_skewed(box, low, high) : rdf_reach_straight(box, low, high);
}

#endif
