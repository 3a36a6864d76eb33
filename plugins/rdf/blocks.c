/* The standard error of g, from the values of g in blocks of frames.
 *
 * The number of frames is not known beforehand. So a block has one frame at first, and when all blocks are full, each
 * two neighbours become one, and a block has twice as many frames. With frames 0 to 8 and four blocks:
 *
 *     0 1 2 3   ->   01 23 45 67   ->   0123 4567 8...
 *
 * The number of frames gives the length of a block, so a run that is resumed needs nothing else. */
#include "rdf.h"

/* The frames of a block, once `frames` frames have been added. */
static uint64_t length_of(uint32_t blocks, uint64_t frames)
{
    uint64_t length = 1;
    while (frames > blocks * length)
        length *= 2;
    return length;
}

/* Makes one block of each two; `each` is the number of elements of a block. */
static void merge_counts(uint64_t *counts, uint32_t blocks, uint64_t each)
{
    for (uint64_t b = 0; b < blocks; b++)
        for (uint64_t k = 0; k < each; k++)
            counts[b * each + k] = (2 * b < blocks ? counts[2 * b * each + k] : 0) +
                                   (2 * b + 1 < blocks ? counts[(2 * b + 1) * each + k] : 0);
}

static void merge_ideal(double *ideal, uint32_t blocks, uint64_t each)
{
    for (uint64_t b = 0; b < blocks; b++)
        for (uint64_t k = 0; k < each; k++)
            ideal[b * each + k] = (2 * b < blocks ? ideal[2 * b * each + k] : 0) +
                                  (2 * b + 1 < blocks ? ideal[(2 * b + 1) * each + k] : 0);
}

/* The standard error of the mean of g in bin k of a row over `complete` blocks. */
static double error_of(const struct rdf_plan *plan, const uint64_t *counts, const double *ideal, uint64_t complete,
                       uint32_t row, uint32_t k)
{
    const uint64_t each = rdf_bins_of(plan), at = (uint64_t) row * plan->bins.count + k;
    const double shell = rdf_shell(plan, k);
    double sum = 0, squares = 0;
    for (uint64_t b = 0; b < complete; b++)
        sum += rdf_g(counts[b * each + at], ideal[b * plan->row_count + row], shell);
    const double mean = complete > 0 ? sum / (double) complete : 0;
    for (uint64_t b = 0; b < complete; b++) {
        const double off = rdf_g(counts[b * each + at], ideal[b * plan->row_count + row], shell) - mean;
        squares += off * off;
    }
    return complete > 1 ? sqrt(squares / ((double) complete * (double) (complete - 1))) : 0;
}

void rdf_add_to_blocks(const struct rdf_plan *plan, const struct engine_call *call, const uint64_t *counted,
                       const double *ideal)
{
    uint64_t *counts = (uint64_t *) engine_field_buffer(call, RDF_BLOCK_COUNTS)->origin[0];
    double *sums = (double *) engine_field_buffer(call, RDF_BLOCK_IDEAL)->origin[0];
    double *error = (double *) engine_field_buffer(call, RDF_G_ERROR)->origin[0];
    uint64_t frames = *(const uint64_t *) engine_field_buffer(call, RDF_FRAMES)->origin[0];
    const uint64_t each = rdf_bins_of(plan);
    for (uint64_t step = 0; step < call->steps; step++) {
        uint64_t length = length_of(plan->blocks, frames);
        if (++frames > plan->blocks * length) {
            merge_counts(counts, plan->blocks, each);
            merge_ideal(sums, plan->blocks, plan->row_count);
            length *= 2;
        }
        const uint64_t block = (frames - 1) / length;
        for (uint64_t k = 0; k < each; k++)
            counts[block * each + k] += counted[k] / call->steps; /* all frames of a call are the same */
        for (uint32_t row = 0; row < plan->row_count; row++)
            sums[block * plan->row_count + row] += ideal[row];
    }
    const uint64_t complete = frames / length_of(plan->blocks, frames);
    for (uint32_t row = 0; row < plan->row_count; row++)
        for (uint32_t k = 0; k < plan->bins.count; k++)
            error[(uint64_t) row * plan->bins.count + k] = error_of(plan, counts, sums, complete, row, k);
}
