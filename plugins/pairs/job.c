/* The numbers of the potentials in single precision, which the kernels of cpu and cuda read. */
#include "cpu_kernel.h"

#include <math.h>

/* The table of force / distance over the square of the distance: in each bin the cubic through values and slopes at
 * both ends. */
int pairs_job_table(const struct engine_host *host, const struct pairs_plan *plan, struct pairs_job *job)
{
    float *table = (float *) host->scratch(host, 4 * PAIRS_TABLE_BINS * sizeof *table, ENGINE_HOST_MEMORY);
    if (!table)
        return ENGINE_NO_MEMORY;
    const double low = plan->rows[0].r, high = plan->rows[plan->row_count - 1].r, begin = low * low;
    const double step = (high * high - begin) / PAIRS_TABLE_BINS, small = step * 1e-4;
    struct pairs_plan unit = {.potential = PAIRS_FROM_TABLE, .row_count = plan->row_count, .rows = plan->rows};
    unit.epsilon[0] = unit.sigma[0] = 1;
    unit.cutoff[0] = high;
    for (int k = 0; k < PAIRS_TABLE_BINS; k++) {
        double ends[2], slopes[2];
        for (int e = 0; e < 2; e++) { /* slopes from inside the bin */
            const double at = begin + (k + e) * step, inside = e ? -small : small;
            ends[e] = pairs_term_at(&unit, 0, at + inside / 8).force;
            slopes[e] = (pairs_term_at(&unit, 0, at + inside).force - ends[e]) / (inside - inside / 8) * step;
        }
        const double rise = ends[1] - ends[0];
        table[4 * k] = (float) ends[0];
        table[4 * k + 1] = (float) slopes[0];
        table[4 * k + 2] = (float) (3 * rise - 2 * slopes[0] - slopes[1]);
        table[4 * k + 3] = (float) (slopes[0] + slopes[1] - 2 * rise);
    }
    job->table = table;
    job->table_begin = (float) begin;
    job->table_scale = (float) (1 / step);
    return 0;
}

/* Forces are in units of 2^-20 epsilon / sigma, or the power of two above it: 32 bits hold up to 2048 epsilon / sigma.
 * The weak forces of yukawa have units of 2^-24. */
double pairs_job_set(const struct pairs_plan *plan, struct pairs_job *job)
{
    double most = 0;
    for (uint32_t type = 0; type < PAIRS_TYPES; type++)
        if (plan->sigma[type] > 0 && plan->epsilon[type] / plan->sigma[type] > most)
            most = plan->epsilon[type] / plan->sigma[type];
    const double unit = most > 0 ? exp2(ceil(log2(most)) - (plan->potential == PAIRS_YUKAWA ? 24 : 20)) : 1;
    for (uint32_t type = 0; type < PAIRS_TYPES; type++) {
        const double sigma = plan->sigma[type], epsilon = plan->epsilon[type] / unit;
        job->cutoff2[type] = (float) (plan->cutoff[type] * plan->cutoff[type]);
        job->sigma2[type] = (float) (sigma * sigma);
        job->strength[type] = (float) (plan->potential == PAIRS_YUKAWA       ? epsilon * sigma
                                       : plan->potential != PAIRS_FROM_TABLE ? 24 * epsilon
                                       : sigma > 0                           ? epsilon / (sigma * sigma)
                                                                             : 0);
    }
    for (int c = 0; c < 3; c++)
        job->scale[c] = (float) (plan->box[c] * 0x1p-32);
    for (int c = 0; c < 3; c++)
        job->tilt[c] = (float) (plan->tilt[c] * 0x1p-32);
    job->skewed = (uint32_t) plan->skewed;
    job->reach = (float) plan->reach;
    job->kappa = (float) plan->kappa;
    job->potential = plan->potential;
    job->species_count = plan->species;
    return unit;
}
