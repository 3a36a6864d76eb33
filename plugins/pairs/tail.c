/* The corrections for what the cutoff leaves out, if the density beyond it is the mean one everywhere:
 *
 *     energy = sum over species a, b of  2 pi N_a N_b / V  I_ab,  I = integral from the cutoff to infinity of r^2 U dr
 *     virial = sum over species a, b of  2 pi N_a N_b / V  (cutoff^3 U(cutoff) + 3 I_ab)
 *
 * and in two dimensions pi N_a N_b / A with r U and cutoff^2 U(cutoff) + 2 I_ab. The virial is that of -r dU/dr, by
 * parts. Allen and Tildesley, Computer Simulation of Liquids, section 2.8. */
#include "potential.h"

int pairs_check_tail(const struct engine_host *host, const struct pairs_plan *plan, int shift)
{
    const char *reason = plan->potential != PAIRS_LJ && plan->potential != PAIRS_YUKAWA
                             ? "expected potential = lj or yukawa, which go on beyond the cutoff"
                         : plan->potential == PAIRS_YUKAWA && !(plan->kappa > 0)
                             ? "expected a kappa above 0, because without screening the correction is infinite"
                         : shift == PAIRS_SHIFT_YES
                             ? "expected shift = no or auto, because the correction is that of energies without a shift"
                             : NULL;
    return plan->tail && reason ? ENGINE_FAIL(host, ENGINE_INVALID, "tail = yes: %s", reason) : 0;
}

/* The integral of r^2 U, or of r U in two dimensions. */
static double integral(const struct pairs_plan *plan, uint32_t type)
{
    const double epsilon = plan->epsilon[type], sigma = plan->sigma[type], cutoff = plan->cutoff[type];
    const double axes = plan->axes, s6 = pow(sigma / cutoff, 6), kappa = plan->kappa;
    if (plan->potential == PAIRS_YUKAWA)
        return epsilon * sigma * exp(-kappa * cutoff) / kappa * (axes == 3 ? cutoff + 1 / kappa : 1);
    return 4 * epsilon * pow(cutoff, axes) * s6 * (s6 / (12 - axes) - 1 / (6 - axes));
}

struct pairs_term pairs_tail(const struct pairs_plan *plan, const uint64_t counts[PAIRS_SPECIES_MAX])
{
    struct pairs_term sum = {0, 0};
    const double axes = plan->axes, sphere = (axes == 3 ? 2 : 1) * 6.283185307179586; /* of radius 1 */
    for (uint32_t a = 0; a < plan->species && plan->tail; a++)
        for (uint32_t b = 0; b < plan->species; b++) {
            const uint32_t type = pairs_type(a, b);
            const double cutoff = plan->cutoff[type], left = integral(plan, type);
            const double pairs = sphere / 2 * (double) counts[a] * (double) counts[b] / plan->volume;
            sum.energy += pairs * left;
            sum.force += pairs * (pow(cutoff, axes) * pairs_smooth(plan, type, cutoff * cutoff).energy + axes * left);
        }
    return sum;
}
