/* Checks and sums over the particles of all systems of a call. */
#ifndef PAIRS_CUDA_MEASURE_CUH
#define PAIRS_CUDA_MEASURE_CUH

#include "cuda_small.cuh"
#include "potential.h"

constexpr uint32_t MEASURE_THREADS = 128; /* of a block */

/* The number of this thread in the launch. */
static __device__ __forceinline__ uint64_t measure_thread()
{
    return (uint64_t) blockIdx.x * MEASURE_THREADS + threadIdx.x;
}

static __host__ __device__ inline uint64_t measure_particles(const small_job &job)
{
    return (uint64_t) job.systems * job.space.count;
}

/* Particle `number` of all systems, those of system 0 first. */
static __device__ __forceinline__ engine_particle measure_particle(const small_job &job, uint64_t number)
{
    const engine_neighbours_fields fields = small_fields(job, (uint32_t) (number / job.space.count));
    return engine_particle_get(&fields, (uint32_t) (number % job.space.count));
}

/* Finds the first particle that `cpu` refuses. */
static __global__ void find_wrong(const __grid_constant__ small_job job, int32_t species, uint32_t axes,
                                  unsigned long long *wrong)
{
    if (measure_thread() >= measure_particles(job))
        return;
    const engine_particle particle = measure_particle(job, measure_thread());
    bool right =
        particle.mass[0] > 0 && particle.mass[0] < 1e15 && particle.species[0] >= 0 && particle.species[0] < species;
    for (int c = 0; c < 3; c++)
        right = right && fabs(particle.position[c]) < 1e15 && fabs(particle.velocity[c]) < 1e15;
    right = right && (axes == 3 || (particle.position[2] == 0 && particle.velocity[2] == 0));
    if (!right)
        atomicMin(wrong, (unsigned long long) measure_thread());
}

/* Counts the particles of each species of each system. */
static __global__ void count_species(const __grid_constant__ small_job job, unsigned long long *counts)
{
    if (measure_thread() < measure_particles(job))
        atomicAdd(counts + measure_thread() / job.space.count * PAIRS_SPECIES_MAX +
                      measure_particle(job, measure_thread()).species[0],
                  1ull);
}

/* The kinetic energy of each block of particles of each system, in the order of the fields, by a warp. */
static __global__ void add_kinetic(const __grid_constant__ small_job job, double *sums)
{
    const uint32_t lane = threadIdx.x % 32, count = job.space.count;
    const uint32_t blocks = (count + ENGINE_TALLY_BLOCK - 1) / ENGINE_TALLY_BLOCK;
    const uint64_t warp = measure_thread() / 32;
    if (warp >= (uint64_t) job.systems * blocks)
        return;
    const engine_neighbours_fields fields = small_fields(job, (uint32_t) (warp / blocks));
    const uint32_t first = (uint32_t) (warp % blocks) * ENGINE_TALLY_BLOCK;
    double own = 0;
    for (uint32_t i = first + lane; i < first + ENGINE_TALLY_BLOCK && i < count; i += 32) {
        const engine_particle particle = engine_particle_get(&fields, i);
        for (int c = 0; c < 3; c++)
            own += particle.mass[0] / 2 * particle.velocity[c] * particle.velocity[c];
    }
    for (int apart = 16; apart > 0; apart /= 2)
        own += __shfl_xor_sync(~0u, own, apart);
    if (lane == 0)
        sums[warp] = own;
}

/* An energy in units of 2^-40 as two integers, so that sums do not depend on the order; see to_wide in cpu.c. */
static __device__ __forceinline__ void add_wide(int64_t sums[2], double energy)
{
    if (!(energy == energy))
        return;
    const double most = 1e15, in_range = energy > most ? most : energy < -most ? -most : energy;
    const int64_t high = __double2ll_rn(in_range);
    sums[0] += high;
    sums[1] += __double2ll_rn((in_range - (double) high) * 0x1p40);
}

/* Adds energy and virial of a pair. */
static __device__ __forceinline__ void add_pair(const pairs_plan &plan, const pairs_row *rows, const engine_seen &self,
                                                const engine_seen &other, int64_t sums[4])
{
    double square = 0;
    for (int c = 0; c < 3; c++) {
        const double d = plan.box[c] * 0x1p-32 * (int32_t) (self.place[c] - other.place[c]);
        square += d * d;
    }
    const pairs_term term = pairs_term_of(&plan, rows, pairs_type(self.species[0], other.species[0]), square);
    add_wide(sums, term.energy);
    add_wide(sums + 2, term.force * square);
}

/* Writes the sums of the threads of a warp. */
static __device__ __forceinline__ void put_terms(const int64_t own[4], int64_t *sums)
{
    for (int k = 0; k < 4; k++) {
        int64_t sum = own[k];
        for (int apart = 16; apart > 0; apart /= 2)
            sum += __shfl_xor_sync(~0u, (long long) sum, apart);
        if (threadIdx.x % 32 == 0)
            sums[k] = sum;
    }
}

/* The sums of energies and virials of 32 particles of each system, over all pairs: only metrics need them, so lists are
 * not worth their time. A warp passes the others from lane to lane. There is one plan, or one of each system if systems
 * differ. */
static __global__ void add_all_pairs(const __grid_constant__ small_job job, const pairs_plan *plans,
                                     const pairs_row *rows, int64_t *sums)
{
    const uint32_t lane = threadIdx.x % 32, count = job.space.count, tiles = small_tiles(count);
    const uint64_t warp = measure_thread() / 32, system = warp / tiles, first = system * count;
    if (warp >= (uint64_t) job.systems * tiles)
        return;
    const pairs_plan &plan = plans[job.differ ? system : 0];
    const engine_space &space = job.differ ? job.differ[system].space : job.space;
    const auto seen_at = [&](uint32_t i) {
        const engine_particle particle = measure_particle(job, first + (i < count ? i : 0));
        return engine_seen_of(&space, &particle);
    };
    const uint32_t i = (uint32_t) (warp % tiles) * 32 + lane;
    const engine_seen self = seen_at(i);
    int64_t own[4] = {};
    for (uint32_t tile = 0; tile < tiles; tile++) {
        const engine_seen mine = seen_at(32 * tile + lane);
        for (uint32_t k = 0; k < 32 && 32 * tile + k < count; k++) {
            engine_seen other;
            for (int c = 0; c < 3; c++)
                other.place[c] = __shfl_sync(~0u, mine.place[c], (int) k);
            other.species[0] = __shfl_sync(~0u, mine.species[0], (int) k);
            if (i < count && 32 * tile + k != i)
                add_pair(plan, rows, self, other, own);
        }
    }
    put_terms(own, sums + 4 * warp);
}

#endif
