/* All steps of a call in one kernel, for few bodies: its blocks wait for each other after the forces and after the
 * moves of each step, which takes less than to start two kernels. */
#ifndef NBODY_CUDA_RESIDENT_CUH
#define NBODY_CUDA_RESIDENT_CUH

#include "cuda_pairs.cuh"
#include "cuda_steps.cuh"

#include <cooperative_groups.h>

/* Of two sets at a time, number m of all meetings is that of set m % sets with the one m / sets behind it. */
static inline uint32_t nbody_meetings(uint32_t sets)
{
    return sets * (1 + (sets - 1) / 2) + (sets % 2 == 0 ? sets / 2 : 0);
}

/* Each warp's share of the components, those of one block far from each other. Their exponents go to `next`. */
template <class T>
static __device__ inline void nbody_move_all(const nbody_step<T> &step, const nbody_parts &parts, int extent,
                                             uint32_t *next)
{
    const uint32_t warp = threadIdx.x / 32 * gridDim.x + blockIdx.x, stride = gridDim.x * blockDim.x;
    int exponent = -NBODY_BIAS;
    if (32 * warp >= 3 * step.field.count)
        return;
    for (uint32_t at = 32 * warp + threadIdx.x % 32; at < 3 * step.field.count; at += stride)
        exponent = max(exponent, nbody_move(step, parts, at % step.field.count, at / step.field.count, extent));
    const uint32_t most = __reduce_max_sync(~0u, (uint32_t) (exponent + NBODY_BIAS));
    if (threadIdx.x % 32 == 0)
        atomicMax(next, most);
}

/* A block is TEAMS teams of R warps. Extents of three steps take turns: the one that is read, the one that is made, and
 * the one that is cleared. */
template <class T, int R, nbody_masses KIND, int TEAMS>
static __global__ void __launch_bounds__(32 * R * TEAMS, 1)
    nbody_resident(const __grid_constant__ nbody_step<T> step, uint32_t sets, uint32_t meetings, uint64_t steps)
{
    __shared__ nbody_desk<T, R> desks[R * TEAMS];
    const nbody_field<T> &field = step.field;
    const nbody_seat seat = nbody_take_seat<R>();
    const bool first = blockIdx.x == 0 && threadIdx.x == 0;
    uint32_t *extents = field.scale->extents;
    int extent = field.scale->extent;
    if (first)
        extents[1] = 0;
    for (uint64_t n = 1; n <= steps; n++) {
        if (first)
            extents[(n + 1) % 3] = 0;
        for (uint32_t m = blockIdx.x + seat.team * gridDim.x; m < meetings; m += TEAMS * gridDim.x) {
            nbody_wait_for_team<R>(seat.team);
            nbody_meet_sets<KIND, R>(field, extent, desks + R * seat.team, seat, sets, m % sets, m / sets,
                                     m / sets + 1);
        }
        cooperative_groups::this_grid().sync();
        nbody_move_all(step, nbody_after_forces(step.integrator, true, n == steps), extent, extents + n % 3);
        cooperative_groups::this_grid().sync();
        extent = nbody_extent((int) extents[n % 3] - NBODY_BIAS, field.softening);
    }
    if (first)
        field.scale->extent = extent;
}

#endif
