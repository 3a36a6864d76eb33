/* The kernels of a rule that is known when the run starts. The Makefile compiles them to PTX, cuda_rule.c puts the text
 * into the plugin, and life/network_ptx.h writes the rule into it. */
#include "cuda_kernels.cuh"

#ifndef LIFE2D_JOB /* cuda_dead_x_… and cuda_dead_y_… define it */
#define LIFE2D_JOB(job)      job
#define LIFE2D_SKIPS_SETTLED /* grids with dead edges do not */
#endif

#define STREAM(LEVELS, WARPS, BLOCKS, RING) \
    extern "C" __global__ void __launch_bounds__(32 * WARPS, BLOCKS) life2d_stream_##LEVELS( \
        const __grid_constant__ LIFE2D_JOB(stream_job) job, const __grid_constant__ rule_written_later rule) \
    { \
        stream_grid<LEVELS, RING>(job, rule); \
    }
#define RESIDENT(ROWS, WARPS) \
    extern "C" __global__ void __launch_bounds__(32 * WARPS, 1) life2d_resident_##ROWS( \
        const __grid_constant__ LIFE2D_JOB(resident_job) job, const __grid_constant__ rule_written_later rule) \
    { \
        stay_resident<ROWS, WARPS>(job, rule); \
    }

LIFE2D_FOR_STREAM_FORMS(STREAM)
LIFE2D_FOR_RESIDENT_FORMS(RESIDENT)

#ifdef LIFE2D_SKIPS_SETTLED
extern "C" __global__ void __launch_bounds__(32 * SETTLED_WARPS, 1)
    life2d_settled_passes(const __grid_constant__ settled_job job, const __grid_constant__ rule_written_later rule)
{
    take_passes(job, rule);
}
#endif
