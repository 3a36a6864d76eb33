/* Kernels of 3D Life, one bit a cell, any size, on a torus or with dead edges.
 *
 * A lane holds striped groups of 128 cells (life/cuda_words.cuh). Full adders of two operations count the 27 cells of
 * three by three by three in the order y, x, z. The ladder, with the operations on a word of 32 cells a step, of the
 * pipe for logic and shifts and in all:
 *
 *   kernel                   size     what it adds                                          logic   all
 *   packed_stream, 1 step    1024^3   planes come through a ring that cp.async fills;       19.4  36.1
 *                                     the sums of two planes stay in registers along z
 *   packed_stream, 2 steps   1024^3   a second level, through shared memory; two planes      18.8  34.3
 *                                     at a time; some xors as multiply-adds
 *                             512^3   marches of only 24 planes: starting one costs more
 *                            1023^3   a seam in every row                                    21.6  37.7
 *   packed_resident           256^3   tiles stay in shared memory, no launch for a step
 *
 * This is for B6/S5..7. docs/lab/life3d-packed.md has the rates, more sizes and rules, and what was tried and left out. */
#ifndef LIFE3D_PACKED_CUDA_KERNELS_CUH
#define LIFE3D_PACKED_CUDA_KERNELS_CUH

#include "cuda_network.cuh"
#include "cuda_resident_edges.cuh"
#include "cuda_stream_edges.cuh"

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
    stream_levels<LEVELS, WARPS, RING, stream_edges<SEAM, JOB>>(job, rule);
}

template <int SEAM, class JOB, class RULE>
__global__ void __launch_bounds__(32 * RESIDENT_WARPS, 1)
    packed_resident(const __grid_constant__ JOB job, const __grid_constant__ RULE rule)
{
    stay_resident<resident_edges<SEAM, JOB>>(job, rule);
}

#endif
