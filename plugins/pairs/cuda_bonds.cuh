/* Bonds for cuda: a launch adds them to the sums over neighbours, and takes away what a bonded pair has added there. Its
 * operations are those of cpu.c. */
#ifndef PAIRS_CUDA_BONDS_CUH
#define PAIRS_CUDA_BONDS_CUH

#include "cell.h"
#include "cuda_measure.cuh"

#include <engine/neighbours.cuh>

constexpr uint32_t TORN = 1u << 31; /* in the number of a lost particle: a bond of it is too long */

/* In device memory. */
struct device_bonds {
    pairs_bonds of;  /* by the numbers of the fields */
    uint32_t *where; /* of each number: its place in the order of the lists */
};

static __global__ void find_where(const __grid_constant__ engine_neighbours::world world, uint32_t *where)
{
    const uint32_t i = blockIdx.x * engine_neighbours::OTHERS + threadIdx.x;
    if (i < world.space.count)
        where[world.now.id[i]] = i;
}

/* Calls visit(j, d, square) for each particle that is bonded to particle i. d is the vector from it to particle i, in
 * double precision. */
template <class Visit>
static __device__ __forceinline__ void visit_bonds(const engine_neighbours::world &world, const pairs_plan &plan,
                                                   const device_bonds &bonds, uint32_t i, const Visit &visit)
{
    const uint32_t id = world.now.id[i];
    const size_t count = world.space.count;
    for (uint32_t k = bonds.of.first[id]; k < bonds.of.first[id + 1]; k++) {
        const uint32_t j = bonds.where[bonds.of.other[k]];
        double d[3];
        for (uint32_t c = 0; c < 3; c++)
            d[c] = world.now.position[c * count + i] - world.now.position[c * count + j];
        pairs_nearest(&plan, d);
        visit(j, d, d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    }
}

template <int POTENTIAL>
static __global__ void add_bonds(const __grid_constant__ rule rule,
                                 const __grid_constant__ engine_neighbours::world world,
                                 const __grid_constant__ pairs_plan plan, const __grid_constant__ device_bonds bonds,
                                 const engine_neighbours::launch_of at)
{
    const uint32_t i = blockIdx.x * engine_neighbours::OTHERS + threadIdx.x;
    if (i >= world.space.count || world.report->stale[at.index])
        return;
    const engine_seen self = world.seen[i].seen;
    int64_t bonded[3] = {}, excluded[3] = {};
    bool torn = false;
    visit_bonds(world, plan, bonds, i, [&](uint32_t j, const double d[3], double square) {
        const engine_seen other = world.seen[j].seen;
        const uint32_t type = pairs_type(self.species[0], other.species[0]);
        const double force = fene(&plan, type, square).force / rule.unit, most = 0x1p52;
        float way[3];
        for (int c = 0; c < 3; c++)
            bonded[c] += __double2ll_rn(fmax(-most, fmin(most, force * d[c])));
        const float near = engine_apart(&world.space, self.place, other.place, way, 0);
        engine_add_fixed(excluded, force_of<POTENTIAL>(&rule, type, near), way);
        torn = torn || !(square < plan.bond_length * plan.bond_length);
    });
    for (uint32_t c = 0; c < 3; c++)
        world.sums[(size_t) i * 3 + c] += bonded[c] - excluded[c];
    if (torn) {
        world.report->lost = 1;
        atomicMin(&world.report->first_lost, (unsigned long long) at.taken << 32 | TORN | world.now.id[i]);
    }
}

/* Adds energies and virials of the bonds of particle i, in the place of the other terms of its bonded pairs. */
static __device__ __forceinline__ void add_bond_terms(const engine_neighbours::world &world, const pairs_plan &plan,
                                                      const pairs_row *rows, const device_bonds &bonds, uint32_t i,
                                                      int64_t sums[4])
{
    const engine_seen self = world.seen[i].seen;
    int64_t excluded[4] = {};
    visit_bonds(world, plan, bonds, i, [&](uint32_t j, const double *, double square) {
        const engine_seen other = world.seen[j].seen;
        const pairs_term term = fene(&plan, pairs_type(self.species[0], other.species[0]), square);
        add_wide(sums, term.energy);
        add_wide(sums + 2, term.force * square);
        add_pair(plan, rows, self, other, excluded);
    });
    for (int k = 0; k < 4; k++)
        sums[k] -= excluded[k];
}

#endif
