/* Bounds of d^2 for all pairs between two cuboids, for `cuda`: whether any pair can be in range, and along which axes a
 * nearer image is possible.
 *
 *     tile.low      tile.high            other.low      other.high
 *        |--------------|                    |---------------|
 *                       <------ -high ------->                      Along each axis the differences x_i - x_j lie in
 *        <---------------------- -low ----------------------->      [low, high].
 *
 * This is interval arithmetic without a margin. Subtractions, multiply-adds and minima are monotone in each operand,
 * also as rounded. So the operations of the definition (rdf.h) on the ends of an interval of differences give the ends
 * of an interval that contains the result of every pair. Along an axis where every pair is its own nearest image the
 * search for one changes no bit of d^2, and is left out. */
#ifndef RDF_CUDA_BOUNDS_H
#define RDF_CUDA_BOUNDS_H

#include "rdf.h"

struct rdf_bounds {
    float low[3], high[3]; /* of wrapped positions */
};

struct rdf_range {
    uint32_t axes;  /* along which a pair may have a nearer image than itself: RDF_X … */
    float nearest;  /* lower bound of d^2 */
    float farthest; /* upper bound of d^2, valid where `axes` is empty */
};

/* The least and the largest absolute value of a difference in [low, high]. */
RDF_INLINE float rdf_least_magnitude(float low, float high)
{
    return fmaxf(fmaxf(low, -high), 0);
}

RDF_INLINE float rdf_most_magnitude(float low, float high)
{
    return fmaxf(-low, high);
}

RDF_INLINE float rdf_sum_squares(const float d[3])
{
    return fmaf(d[0], d[0], fmaf(d[1], d[1], d[2] * d[2]));
}

/* An orthorhombic or open box. The image of rdf_shorter is nearest where the difference is largest. */
RDF_INLINE struct rdf_range rdf_range_orthorhombic(const struct rdf_box *box, const float low[3], const float high[3])
{
    struct rdf_range range = {0, 0, 0};
    float least[3], most[3];
    for (int axis = 0; axis < 3; axis++) {
        least[axis] = rdf_least_magnitude(low[axis], high[axis]),
        most[axis] = rdf_most_magnitude(low[axis], high[axis]);
        const float other = box->edge[axis] - most[axis];
        if (other < most[axis]) {
            range.axes |= 1u << axis;
            least[axis] = fminf(least[axis], other);
        }
    }
    range.nearest = rdf_sum_squares(least), range.farthest = rdf_sum_squares(most);
    return range;
}

/* An interval of differences on each axis. */
struct rdf_interval {
    float low[3], high[3];
};

/* By how many edges k along an axis rdf_square moves the differences of an interval: `first` to `last`. */
struct rdf_images {
    float first, last;
};

RDF_INLINE struct rdf_images rdf_images_of(const struct rdf_box *box, const struct rdf_interval *d, int axis,
                                           struct rdf_range *range)
{
    const struct rdf_images k = {rdf_nearest(d->low[axis], box->inverse[axis]),
                                 rdf_nearest(d->high[axis], box->inverse[axis])};
    range->axes |= k.first != 0 || k.last != 0 ? 1u << axis : 0;
    return k;
}

/* The least absolute value of the differences that are moved by k edges. For the first k they are at least `low`, for
 * the last at most `high`; nothing else is known about them. */
RDF_INLINE float rdf_least_of(struct rdf_images all, float k, float low, float high)
{
    return rdf_least_magnitude(k == all.first ? low : -INFINITY, k == all.last ? high : INFINITY);
}

/* y and z are the least absolute values along these axes. Lowers range->nearest to the least d^2. */
RDF_INLINE void rdf_range_x(const struct rdf_box *box, const struct rdf_interval *d, float y, float z,
                            struct rdf_range *range)
{
    const struct rdf_images a = rdf_images_of(box, d, 0, range);
    for (float k = a.first; k <= a.last; k++) {
        const float low = fmaf(-k, box->edge[0], d->low[0]), high = fmaf(-k, box->edge[0], d->high[0]);
        const float least[3] = {rdf_least_of(a, k, low, high), y, z};
        range->nearest = fminf(range->nearest, rdf_sum_squares(least));
    }
}

RDF_INLINE void rdf_range_y(const struct rdf_box *box, const struct rdf_interval *d, float z, struct rdf_range *range)
{
    const struct rdf_images b = rdf_images_of(box, d, 1, range);
    for (float k = b.first; k <= b.last; k++) {
        const float low = fmaf(-k, box->edge[1], d->low[1]), high = fmaf(-k, box->edge[1], d->high[1]);
        const struct rdf_interval moved = {{fmaf(-k, box->xy, d->low[0])}, {fmaf(-k, box->xy, d->high[0])}};
        rdf_range_x(box, &moved, rdf_least_of(b, k, low, high), z, range);
    }
}

/* A triclinic box: all images that pairs may have, along z, then y, then x, in the order of rdf_square. */
RDF_INLINE struct rdf_range rdf_range_triclinic(const struct rdf_box *box, const struct rdf_interval *d)
{
    const float most[3] = {rdf_most_magnitude(d->low[0], d->high[0]), rdf_most_magnitude(d->low[1], d->high[1]),
                           rdf_most_magnitude(d->low[2], d->high[2])};
    struct rdf_range range = {0, INFINITY, rdf_sum_squares(most)};
    const struct rdf_images c = rdf_images_of(box, d, 2, &range);
    for (float k = c.first; k <= c.last; k++) {
        const float low = fmaf(-k, box->edge[2], d->low[2]), high = fmaf(-k, box->edge[2], d->high[2]);
        const struct rdf_interval moved = {{fmaf(-k, box->xz, d->low[0]), fmaf(-k, box->yz, d->low[1])},
                                           {fmaf(-k, box->xz, d->high[0]), fmaf(-k, box->yz, d->high[1])}};
        rdf_range_y(box, &moved, rdf_least_of(c, k, low, high), &range);
    }
    return range;
}

/* The bounds for all pairs whose differences, as rounded, are in [low, high]. */
RDF_INLINE struct rdf_range rdf_range_of(const struct rdf_box *box, const float low[3], const float high[3])
{
    const struct rdf_interval d = {{low[0], low[1], low[2]}, {high[0], high[1], high[2]}};
    return box->form == RDF_TRICLINIC ? rdf_range_triclinic(box, &d) : rdf_range_orthorhombic(box, low, high);
}

#endif
