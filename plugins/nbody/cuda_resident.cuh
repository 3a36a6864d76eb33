/* All steps of a call in one kernel, for few bodies. The blocks of a cooperative launch synchronise twice a step, which
 * takes less time than starting two kernels:
 *
 *     block 0    pairs of tiles |     | moves bodies |     | pairs of tiles | ...
 *     block 1    pairs of tiles | all | moves bodies | all | pairs of tiles | ...
 *     block 2    pairs of tiles |     | moves bodies |     | pairs of tiles | ...
 */
#ifndef NBODY_CUDA_RESIDENT_CUH
#define NBODY_CUDA_RESIDENT_CUH

#include "cuda_pairs.cuh"
#include "cuda_steps.cuh"

/* Tiles at most: 12287 bodies in tiles of 128 (cuda.cu). */
constexpr uint32_t NBODY_RESIDENT_TILES = 96;

/* Number of all pairs of tiles. Pair m is tile m % tiles with the tile m / tiles behind it. */
static inline uint32_t nbody_tile_pair_count(uint32_t tiles)
{
    return tiles * (1 + (tiles - 1) / 2) + (tiles % 2 == 0 ? tiles / 2 : 0);
}

/* Moves all bodies. A warp takes components of 32 bodies at a time; the warps of one block take distant ones. Sets
 * *next to the extent of the new positions. */
template <class T>
static __device__ inline void nbody_move_all(const nbody_step<T> &step, const nbody_stages &stages, int extent,
                                             uint32_t *next)
{
    const uint32_t warp = threadIdx.x / 32 * gridDim.x + blockIdx.x, warps = gridDim.x * blockDim.x / 32;
    const uint32_t shares = 3 * ((step.field.count + 31) / 32);
    if (warp >= shares)
        return;
    int exponent = -NBODY_BIAS;
    for (uint32_t share = warp; share < shares; share += warps) {
        const uint32_t body = share / 3 * 32 + threadIdx.x % 32;
        if (body < step.field.count)
            exponent = max(exponent, nbody_move(step, stages, body, share % 3, extent));
    }
    const uint32_t most = __reduce_max_sync(~0u, (uint32_t) (exponent + NBODY_BIAS));
    if (threadIdx.x % 32 == 0)
        atomicMax(next, most);
}

/* Waits until all blocks have arrived, and makes what each wrote before visible to all. *arrived is 0 before the first
 * arrives. One thread of a block adds 1 and then polls. An addition that returned the sum would take one more round
 * trip to the L2 cache. */
static __device__ inline void nbody_sync_blocks(uint32_t *arrived)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        uint32_t blocks;
        asm volatile("red.release.gpu.global.add.u32 [%0], 1;" : : "l"(arrived) : "memory");
        do
            asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(blocks) : "l"(arrived) : "memory");
        while (blocks < gridDim.x);
    }
    __syncthreads();
}

/* A block is GROUPS groups of R warps. Three records nbody_sync, 0 at the start, are used in turn: that of this step,
 * that of the step before, whose extent is read, and that of the next step, which is cleared. */
template <class T, int R, nbody_masses KIND, int GROUPS>
static __global__ void __launch_bounds__(32 * R * GROUPS, 1)
    nbody_resident(const __grid_constant__ nbody_step<T> step, uint32_t tiles, uint32_t pairs, uint64_t steps)
{
    __shared__ nbody_warp_memory<T, R> memory[R * GROUPS];
    __shared__ nbody_run runs[KIND == NBODY_SPECIES ? NBODY_RESIDENT_TILES : 1]; /* no round trip for them each step */
    __shared__ uint32_t before; /* the extent that the forces were computed with */
    const nbody_field<T> &field = step.field;
    const nbody_warp id = nbody_this_warp<R>();
    const bool first = blockIdx.x == 0 && threadIdx.x == 0;
    const uint32_t *extent = &field.scale->extent; /* read along with the bodies */
    for (uint32_t tile = threadIdx.x; KIND == NBODY_SPECIES && tile < tiles; tile += blockDim.x)
        runs[tile] = field.runs[tile];
    __syncthreads();
    for (uint64_t n = 1; n <= steps; n++) {
        nbody_sync *sync = field.scale->sync + n % 3;
        if (first)
            field.scale->sync[(n + 1) % 3] = {};
        for (uint32_t m = blockIdx.x + id.group * gridDim.x; m < pairs; m += GROUPS * gridDim.x) {
            nbody_pair_run<KIND, R>(field, *extent, memory + R * id.group, id, runs,
                                    nbody_task<T>{tiles, m % tiles, m / tiles, m / tiles + 1});
        }
        if (threadIdx.x == 0)
            before = *extent; /* still in a near cache; after the synchronisation it is a round trip away */
        nbody_sync_blocks(&sync->forces);
        nbody_move_all(step, nbody_after_forces(step.integrator, true, n == steps), nbody_extent(field, before),
                       &sync->extent);
        nbody_sync_blocks(&sync->moves);
        extent = &sync->extent;
    }
    if (first)
        field.scale->extent = *extent;
}

#endif
