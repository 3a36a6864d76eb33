/* All steps of a call in one kernel, for few bodies: its blocks wait for each other after the forces and after the
 * moves of each step, which takes less than to start two kernels. */
#ifndef NBODY_CUDA_RESIDENT_CUH
#define NBODY_CUDA_RESIDENT_CUH

#include "cuda_pairs.cuh"
#include "cuda_steps.cuh"

/* There are no more than that; see cuda.cu. */
constexpr uint32_t NBODY_RESIDENT_SETS = 96;

/* Of two sets at a time, number m of all meetings is that of set m % sets with the one m / sets behind it. */
static inline uint32_t nbody_meetings(uint32_t sets)
{
    return sets * (1 + (sets - 1) / 2) + (sets % 2 == 0 ? sets / 2 : 0);
}

/* Each warp's share: components of 32 bodies, those of one block far from each other. Their extent goes to `next`. */
template <class T>
static __device__ inline void nbody_move_all(const nbody_step<T> &step, const nbody_parts &parts, int extent,
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
            exponent = max(exponent, nbody_move(step, parts, body, share % 3, extent));
    }
    const uint32_t most = __reduce_max_sync(~0u, (uint32_t) (exponent + NBODY_BIAS));
    if (threadIdx.x % 32 == 0)
        atomicMax(next, most);
}

/* Until all blocks are here; each sees then what the others wrote before. `arrived`: 0 before the first is. One thread
 * speaks for a block, and asks for the number right after it has added to it: a round trip through the L2 cache less
 * than a sum that comes back. */
static __device__ inline void nbody_wait_for_blocks(uint32_t *arrived)
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

/* A block is TEAMS teams of R warps. Three turns, 0 at the start: the one of this step, the one before, whose extent is
 * read, and the next one, which is cleared. */
template <class T, int R, nbody_masses KIND, int TEAMS>
static __global__ void __launch_bounds__(32 * R * TEAMS, 1)
    nbody_resident(const __grid_constant__ nbody_step<T> step, uint32_t sets, uint32_t meetings, uint64_t steps)
{
    __shared__ nbody_desk<T, R> desks[R * TEAMS];
    __shared__ nbody_run runs[KIND == NBODY_SPECIES ? NBODY_RESIDENT_SETS : 1]; /* no round trip for them each step */
    __shared__ uint32_t before; /* the extent that the forces were made with */
    const nbody_field<T> &field = step.field;
    const nbody_seat seat = nbody_take_seat<R>();
    const bool first = blockIdx.x == 0 && threadIdx.x == 0;
    const uint32_t *extent = &field.scale->extent; /* read along with the bodies */
    for (uint32_t set = threadIdx.x; KIND == NBODY_SPECIES && set < sets; set += blockDim.x)
        runs[set] = field.runs[set];
    __syncthreads();
    for (uint64_t n = 1; n <= steps; n++) {
        nbody_turn *turn = field.scale->turns + n % 3;
        if (first)
            field.scale->turns[(n + 1) % 3] = {};
        for (uint32_t m = blockIdx.x + seat.team * gridDim.x; m < meetings; m += TEAMS * gridDim.x) {
            nbody_meet_run<KIND, R>(field, *extent, desks + R * seat.team, seat, runs,
                                    nbody_task<T>{sets, m % sets, m / sets, m / sets + 1});
        }
        if (threadIdx.x == 0)
            before = *extent; /* it is near; once they have waited it is a round trip away */
        nbody_wait_for_blocks(&turn->met);
        nbody_move_all(step, nbody_after_forces(step.integrator, true, n == steps), nbody_extent(field, before),
                       &turn->extent);
        nbody_wait_for_blocks(&turn->moved);
        extent = &turn->extent;
    }
    if (first)
        field.scale->extent = *extent;
}

#endif
