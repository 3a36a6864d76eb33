/* Kernels of 3D Life, one bit a cell, any size, on a torus or with dead edges.
 *
 * A lane holds striped groups of 128 cells (life/cuda_words.cuh). Full adders of two operations count the 27 cells of
 * three by three by three in the order y, x, z. The ladder: operations on a word of 32 cells a step, of the pipe for
 * logic and shifts and in all; the rate in 10^12 cells a second; its share of 22.8, which 22 operations a word allow.
 *
 *   kernel                   size     what it adds                                          logic   all   rate   share
 *   packed_stream, 1 step    1024^3   planes come through a ring that cp.async fills;       19.4  36.1   14.8   87%*
 *                                     the sums of two planes stay in registers along z
 *   packed_stream, 2 steps   1024^3   a second level, through shared memory; two planes      18.8  34.3   18.9   83%
 *                                     at a time; some xors as multiply-adds
 *                             512^3   marches of only 24 planes: starting one costs more                  15.3   67%
 *                            1023^3   a seam in every row                                    21.6  37.7   16.7   73%
 *     a compiled rule        1024^3   B4,6,9..11/S5,7                                                     16.5   72%
 *     a rule as numbers      1024^3   nothing to compile                                                   7.3   32%
 *   packed_resident           256^3   tiles stay in shared memory, no launch for a step                   10.5   46%
 *
 * B6/S5..7 where no rule is named; *: of a copy; medians on one NVIDIA H200, CUDA 13.0, 2026-11-20 and 21.
 * docs/performance.md has more sizes, and what was tried and left out. */
#ifndef LIFE3D_PACKED_CUDA_KERNELS_CUH
#define LIFE3D_PACKED_CUDA_KERNELS_CUH

#include "cuda_network.cuh"
#include "cuda_resident.cuh"
#include "cuda_stream.cuh"

/* The kernels that are compiled, most steps first. Streaming: steps of a launch, 1 for widths with a seam, the most
 * warps of a block, stages of the ring. */
#define PACKED_FOR_STREAM_FORMS(FORM) FORM(2, 0, 12, 4) FORM(2, 1, 12, 4) FORM(1, 0, 16, 3) FORM(1, 1, 16, 3)

/* Resident: 1 for widths with a seam. */
#define PACKED_FOR_RESIDENT_FORMS(FORM) FORM(0) FORM(1)

/* JOB is stream_job or resident_job, or the same for grids with dead edges. */
template <int LEVELS, int SEAM, int WARPS, int RING, class JOB, class RULE>
__global__ void __launch_bounds__(32 * WARPS, 1)
    packed_stream(const __grid_constant__ JOB job, const __grid_constant__ RULE rule)
{
    stream_levels<LEVELS, WARPS, RING, SEAM>(job, rule);
}

template <int SEAM, class JOB, class RULE>
__global__ void __launch_bounds__(32 * RESIDENT_WARPS, 1)
    packed_resident(const __grid_constant__ JOB job, const __grid_constant__ RULE rule)
{
    stay_resident<SEAM>(job, rule);
}

#endif
