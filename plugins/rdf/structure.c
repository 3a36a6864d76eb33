/* The structure factor of a row, from its g:
 *
 *     S(q) = 1 + density * sum over bins of (g - 1) shell w sin(q r) / (q r)
 *
 * r is the middle of a bin and shell its volume. The window w goes to 0 at r_max. Without it, the end of the sum at
 * r_max makes S oscillate with a wavelength of 2 pi / r_max. */
#include "rdf.h"

static const double pi = 3.14159265358979323846;

/* sin(x), x >= 0, by its series. The functions of the C library differ in the last bit between processors, and the
 * outputs of a run are the same on all. */
static double sine(double x)
{
    const double halves = rint(x / pi), low = 1.2246467991473532e-16; /* pi is the double `pi` plus `low` */
    const double reduced = fma(-halves, low, fma(-halves, pi, x)), square = reduced * reduced;
    double sum = 0;
    for (int k = 23; k >= 3; k -= 2)
        sum = -square / (double) (k * (k - 1)) * (1 + sum);
    return (fmod(halves, 2) == 0 ? reduced : -reduced) * (1 + sum);
}

static double wave_number(const struct rdf_plan *plan, uint32_t index)
{
    return plan->q_max * (index + 1) / plan->q_bins;
}

static double sinc(double x)
{
    return sine(x) / x;
}

int rdf_make_transform(const struct engine_host *host, const struct rdf_plan *plan, const double **transform)
{
    const uint64_t elements = (uint64_t) plan->q_bins * plan->bins.count;
    *transform = NULL;
    if (elements == 0)
        return 0;
    double *at = (double *) host->scratch(host, elements * sizeof *at, ENGINE_HOST_MEMORY);
    if (!at)
        return ENGINE_NO_MEMORY;
    *transform = at;
    for (uint32_t q = 0; q < plan->q_bins; q++)
        for (uint32_t k = 0; k < plan->bins.count; k++) {
            const double r = (k + 0.5) * (double) plan->bins.width;
            const double window = plan->q_window == RDF_LORCH ? sinc(pi * (k + 0.5) / plan->bins.count) : 1;
            *at++ = rdf_shell(plan, k) * window * sinc(wave_number(plan, q) * r);
        }
    return 0;
}

void rdf_set_structure(const struct rdf_plan *plan, const struct engine_call *call, const double *transform,
                       uint32_t row, double density)
{
    const double *g = (const double *) engine_field_buffer(call, RDF_G)->origin[0] + (uint64_t) row * plan->bins.count;
    double *q = (double *) engine_field_buffer(call, RDF_Q)->origin[0];
    double *s = (double *) engine_field_buffer(call, RDF_S)->origin[0] + (uint64_t) row * plan->q_bins;
    for (uint32_t i = 0; i < plan->q_bins; i++) {
        double sum = 0;
        for (uint32_t k = 0; k < plan->bins.count; k++)
            sum += (g[k] - 1) * transform[(uint64_t) i * plan->bins.count + k];
        q[i] = wave_number(plan, i);
        s[i] = 1 + density * sum;
    }
}
