/* r, g(r) and n(r) from counts. */
#include "rdf.h"

double rdf_shell(const struct rdf_bins *bins, uint32_t bin)
{
    const double pi = 3.14159265358979323846, width = (double) bins->width, k = bin;
    return 4.0 / 3.0 * pi * (3 * k * (k + 1) + 1) * width * width * width; /* (k + 1)^3 - k^3 */
}

static void *origin(const struct engine_call *call, uint32_t field)
{
    return engine_field_buffer(call, field)->origin[call->current];
}

void rdf_set_curves(const struct rdf_plan *plan, const struct engine_call *call,
                    const struct rdf_population *populations)
{
    const uint64_t *counts = (const uint64_t *) origin(call, RDF_COUNTS);
    const uint64_t frames = *(const uint64_t *) origin(call, RDF_FRAMES);
    double *r = (double *) origin(call, RDF_R), *g = (double *) origin(call, RDF_G);
    double *n = (double *) origin(call, RDF_N);
    for (uint32_t k = 0; k < plan->bins.count; k++)
        r[k] = (k + 0.5) * (double) plan->bins.width;
    for (uint32_t row = 0; row < plan->row_count; row++) {
        uint64_t sum = 0;
        for (uint32_t k = 0; k < plan->bins.count; k++) {
            const uint64_t at = (uint64_t) row * plan->bins.count + k;
            sum += counts[at];
            g[at] = rdf_g(counts[at], populations[row], plan->volume, rdf_shell(&plan->bins, k), frames);
            n[at] = rdf_n(sum, populations[row], frames);
        }
    }
}
