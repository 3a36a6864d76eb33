/* The kernels of a rule that is known when the run starts. The Makefile compiles them to PTX, cuda_rule.c puts the text
 * into the plugin, and life/network_ptx.h writes the rule into it. */
#include "cuda_kernels.cuh"

#ifndef PACKED_JOB /* cuda_dead_rule.ptx.cu defines it */
#define PACKED_JOB(job) job
#endif

#define STREAM(LEVELS, SEAM, WARPS, RING) \
    extern "C" __global__ void __launch_bounds__(32 * WARPS, 1) packed_stream_##LEVELS##_##SEAM( \
        const __grid_constant__ PACKED_JOB(stream_job) job, const __grid_constant__ rule_written_later rule) \
    { \
        stream_levels<LEVELS, WARPS, RING, stream_edges<SEAM, PACKED_JOB(stream_job)>>(job, rule); \
    }
#define RESIDENT(SEAM) \
    extern "C" __global__ void __launch_bounds__(32 * RESIDENT_WARPS, 1) packed_resident_##SEAM( \
        const __grid_constant__ PACKED_JOB(resident_job) job, const __grid_constant__ rule_written_later rule) \
    { \
        stay_resident<resident_edges<SEAM, PACKED_JOB(resident_job)>>(job, rule); \
    }

PACKED_FOR_STREAM_FORMS(STREAM)
PACKED_FOR_RESIDENT_FORMS(RESIDENT)
