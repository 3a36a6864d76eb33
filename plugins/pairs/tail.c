/* The corrections for what the cutoff leaves out, if the density beyond it is the mean one everywhere:
 *
 *     energy = sum over species a, b of  2 pi N_a N_b / V  I_ab,  I = integral from the cutoff to infinity of r^2 U dr
 *     virial = sum over species a, b of  2 pi N_a N_b / V  (cutoff^3 U(cutoff) + 3 I_ab)
 *
 * The virial is that of -r dU/dr, by parts. Allen and Tildesley, Computer Simulation of Liquids, section 2.8. */
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

/* The integral of r^2 U. */
static double integral(const struct pairs_plan *plan, uint32_t type)
{
    const double epsilon = plan->epsilon[type], sigma = plan->sigma[type], cutoff = plan->cutoff[type];
    const double s3 = pow(sigma / cutoff, 3), kappa = plan->kappa;
    if (plan->potential == PAIRS_YUKAWA)
        return epsilon * sigma * exp(-kappa * cutoff) * (cutoff / kappa + 1 / (kappa * kappa));
    return 4 * epsilon * pow(sigma, 3) * s3 * (s3 * s3 / 9 - 1.0 / 3);
}

struct pairs_term pairs_tail(const struct pairs_plan *plan, const uint64_t counts[PAIRS_SPECIES_MAX])
{
    struct pairs_term sum = {0, 0};
    const double volume = plan->box[0] * plan->box[1] * plan->box[2];
    for (uint32_t a = 0; a < plan->species && plan->tail; a++)
        for (uint32_t b = 0; b < plan->species; b++) {
            const uint32_t type = pairs_type(a, b);
            const double cutoff = plan->cutoff[type], left = integral(plan, type);
            const double pairs = 6.283185307179586 * (double) counts[a] * (double) counts[b] / volume;
            sum.energy += pairs * left;
            sum.force += pairs * (pow(cutoff, 3) * pairs_smooth(plan, type, cutoff * cutoff).energy + 3 * left);
        }
    return sum;
}
