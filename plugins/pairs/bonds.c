/* Bonds along chains: particles 0 … n - 1 are a chain, n … 2n - 1 the next one. The potential is `fene` of potential.h.
 * A bond takes the place of the other force between its particles. */
#include "cell.h"

int pairs_partners(const struct pairs_solver *solver, uint64_t i, uint32_t partners[2])
{
    const uint64_t id = solver->now.id[i], chain = solver->plan.chain;
    int count = 0;
    if (chain && id % chain > 0)
        partners[count++] = solver->where[id - 1];
    if (chain && id % chain + 1 < chain)
        partners[count++] = solver->where[id + 1];
    return count;
}

double pairs_apart(const struct pairs_solver *solver, uint64_t i, uint64_t j, double d[3])
{
    for (int c = 0; c < 3; c++)
        d[c] = solver->now.x[c][i] - solver->now.x[c][j];
    pairs_nearest(&solver->plan, d);
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

int pairs_torn(const struct engine_host *host, const struct pairs_plan *plan, uint64_t step, uint64_t particle)
{
    return -ENGINE_FAIL(host, ENGINE_INVALID,
                        "step %llu: a bond of particle %llu is not shorter than bond_length, %g; set a smaller dt, or "
                        "start from particles whose neighbours in a chain are near each other",
                        (unsigned long long) step, (unsigned long long) particle, plan->bond_length);
}
