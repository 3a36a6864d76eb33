/* The kernels of a rule that does not count neighbours, as cuda_rule.ptx.cu has those of rules that do. They take few
 * steps a launch: the operations of most rules are the limit, and more levels would not fit in the instruction
 * cache. */
#include "cuda_kernels.cuh"
#include "cuda_stream_squares.cuh"

#ifndef LIFE2D_JOB /* cuda_dead_x_… and cuda_dead_y_… define it */
#define LIFE2D_JOB(job)      job
#define LIFE2D_SKIPS_SETTLED /* grids with dead edges do not */
#endif

#define STREAM(LEVELS, WARPS, BLOCKS, RING) \
    extern "C" __global__ void __launch_bounds__(32 * WARPS, BLOCKS) life2d_squares_##LEVELS( \
        const __grid_constant__ LIFE2D_JOB(stream_job) job, const __grid_constant__ rule_of_squares rule) \
    { \
        stream_grid<LEVELS, RING>(job, rule); \
    }

LIFE2D_FOR_SQUARE_FORMS(STREAM)

#ifdef LIFE2D_SKIPS_SETTLED
extern "C" __global__ void __launch_bounds__(32 * SETTLED_WARPS, 1)
    life2d_settled_passes(const __grid_constant__ settled_job job, const __grid_constant__ rule_of_squares rule)
{
    take_passes(job, rule);
}
#endif
