/* Adds up counts, and computes r, g(r) and n(r) from them. */
#include "rdf.h"

static void *origin(const struct engine_call *call, uint32_t field)
{
    return engine_field_buffer(call, field)->origin[0];
}

static struct rdf_population population_of(const struct rdf_plan *plan, const struct rdf_frame *frame, uint32_t number)
{
    const struct rdf_row row = plan->rows[number];
    return rdf_populate(frame->sizes[row.a], frame->sizes[row.b], row.a == row.b, frame->excluded[number],
                        plan->finite_size);
}

static void set_row(const struct rdf_plan *plan, const struct engine_call *call, uint32_t row, double ideal,
                    double centres)
{
    const uint64_t first = (uint64_t) row * plan->bins.count;
    const uint64_t *counts = (const uint64_t *) origin(call, RDF_COUNTS) + first;
    double *g = (double *) origin(call, RDF_G) + first, *n = (double *) origin(call, RDF_N) + first;
    uint64_t sum = 0;
    for (uint32_t k = 0; k < plan->bins.count; k++) {
        sum += counts[k];
        g[k] = rdf_g(counts[k], ideal, rdf_shell(plan, k));
        n[k] = rdf_n(sum, centres);
    }
}

/* The number density of all particles, from the pairs of a row in a volume. */
static double density_of(const struct rdf_plan *plan, struct rdf_population of, double ideal, uint64_t frames)
{
    return plan->volume > 0 && of.pairs > 0 ? (double) plan->particles * ideal / (of.pairs * (double) frames) : 0;
}

void rdf_warn_empty(const struct rdf_plan *plan, const struct engine_call *call, const uint64_t *counts)
{
    uint64_t sum = 0;
    for (uint64_t k = 0; k < rdf_bins_of(plan); k++)
        sum |= counts[k];
    if (sum == 0 && plan->particles > 1 && call->plan->part.index == 0)
        call->host->message(call->host, ENGINE_LOG_WARNING,
                            "no pair of the first frame is closer than r_max = %g; set a larger [rdf] r_max, in the "
                            "unit of the positions",
                            (double) plan->bins.width * plan->bins.count);
}

int rdf_finish(const struct rdf_plan *plan, const struct engine_call *call, const struct rdf_frame *frame,
               const double *transform, uint64_t *counted)
{
    double *r = (double *) origin(call, RDF_R), added[RDF_ROWS_MAX];
    double *ideal = (double *) origin(call, RDF_IDEAL), *centres = (double *) origin(call, RDF_CENTRES);
    uint64_t *counts = (uint64_t *) origin(call, RDF_COUNTS), *frames = (uint64_t *) origin(call, RDF_FRAMES);
    const int status = engine_host_team(call->host)->reduce(call, counted, rdf_bins_of(plan));
    if (status != 0)
        return status;
    for (uint32_t row = 0; row < plan->row_count; row++)
        added[row] = rdf_ideal(population_of(plan, frame, row), plan->volume);
    if (plan->blocks > 0)
        rdf_add_to_blocks(plan, call, counted, added);
    if (*frames == 0)
        rdf_warn_empty(plan, call, counted);
    *frames += call->steps;
    for (uint64_t k = 0; k < rdf_bins_of(plan); k++)
        counts[k] += counted[k];
    for (uint32_t k = 0; k < plan->bins.count; k++)
        r[k] = (k + 0.5) * (double) plan->bins.width;
    for (uint32_t row = 0; row < plan->row_count; row++) {
        const struct rdf_population of = population_of(plan, frame, row);
        for (uint64_t step = 0; step < call->steps; step++)
            ideal[row] += added[row], centres[row] += of.centres;
        set_row(plan, call, row, ideal[row], centres[row]);
        if (plan->q_bins > 0)
            rdf_set_structure(plan, call, transform, row, density_of(plan, of, ideal[row], *frames));
    }
    return frame->spatial ? rdf_spatial_finish(plan, call, frame->spatial) : 0;
}
