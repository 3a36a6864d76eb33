/* Bonds along chains: particles 0 … n - 1 are a chain, n … 2n - 1 the next one. The potential is `fene` of potential.h.
 * A bond takes the place of the other force between its particles. */
#include "cell.h"

int pairs_bonds_load(const struct engine_host *host, struct pairs_plan *plan)
{
    const uint64_t count = plan->count, chain = plan->chain;
    if (!chain)
        return 0;
    uint32_t *first = (uint32_t *) host->scratch(host, (3 * count + 1) * sizeof *first, ENGINE_HOST_MEMORY);
    if (!first)
        return ENGINE_NO_MEMORY;
    uint32_t *const other = first + count + 1;
    first[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = first[i];
        if (i % chain > 0)
            other[at++] = i - 1;
        if (i % chain + 1 < chain)
            other[at++] = i + 1;
        first[i + 1] = at;
    }
    plan->bonds = (struct pairs_bonds){first, other};
    return 0;
}

int pairs_partners(const struct pairs_solver *solver, uint64_t i, uint32_t partners[PAIRS_BONDS_MAX])
{
    const struct pairs_bonds *bonds = &solver->plan.bonds;
    int count = 0;
    if (!bonds->first)
        return 0;
    const uint32_t id = solver->now.id[i];
    for (uint32_t k = bonds->first[id]; k < bonds->first[id + 1]; k++)
        partners[count++] = solver->where[bonds->other[k]];
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
    return -ENGINE_FAIL(
        host, ENGINE_INVALID,
        "%sstep %llu: a bond of particle %llu is not shorter than bond_length, %g; set a smaller dt, or "
        "start from particles whose neighbours in a chain are near each other",
        plan->system, (unsigned long long) step, (unsigned long long) particle, plan->bond_length);
}
