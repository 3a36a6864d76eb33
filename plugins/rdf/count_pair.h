/* Counts one pair of particles of a frame. Two functions, because a branch would slow down the reference's loop. */
#ifndef RDF_COUNT_PAIR_H
#define RDF_COUNT_PAIR_H

#include "rdf.h"

/* Adds `by` to the bin of a pair in the counts of all rows that it belongs to. */
static inline void rdf_count_pair(const struct rdf_plan *plan, const struct rdf_frame *frame, uint64_t i, uint64_t j,
                                  uint64_t *counts, uint64_t by)
{
    float *const *r = frame->wrapped;
    const float square = rdf_square(&plan->box, r[0][i] - r[0][j], r[1][i] - r[1][j], r[2][i] - r[2][j]);
    const uint32_t bin = rdf_bin(&plan->bins, square);
    for (uint32_t row = 0; bin < plan->bins.count && row < plan->row_count; row++)
        if (rdf_in_row(plan->rows[row], frame->group[i], frame->group[j]))
            counts[(uint64_t) row * plan->bins.count + bin] += by;
}

/* Adds `by` to the bin of a pair in frame->spatial, if it belongs to the one row. */
static inline void rdf_displace_pair(const struct rdf_plan *plan, const struct rdf_frame *frame, uint64_t i, uint64_t j,
                                     uint64_t by)
{
    float *const *r = frame->wrapped;
    const uint64_t from = frame->group[i] == plan->rows[0].a ? i : j, to = i + j - from;
    if (rdf_in_row(plan->rows[0], frame->group[i], frame->group[j]))
        rdf_spatial_add(plan, frame->spatial, r[0][to] - r[0][from], r[1][to] - r[1][from], r[2][to] - r[2][from], by);
}

#endif
