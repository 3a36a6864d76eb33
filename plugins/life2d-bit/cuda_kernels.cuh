/* Kernels of 2D Life, one bit a cell, any size, on a torus or with dead edges.
 *
 * A lane holds striped groups of 128 cells (life/cuda_words.cuh). A row's sums are made once and serve three rows. The
 * ladder, with the instructions on a word of 32 cells a step, in the pipe for logic and shifts and in all. (`engine
 * bench` counts the 8.5 operations that a word needs instead.)
 *
 *   kernel                  size      what it adds                                        logic   all
 *   life2d_stream, 1 step   65536^2   rows come through a ring that cp.async fills
 *   life2d_stream, 8 steps  65536^2   8 levels in registers, no idle lane at any width,     7.5  11.1
 *                                     xors of sums as multiply-adds beside the logic
 *                           16384^2   bands of 68 rows, and 10 to warm up
 *                     65521 x 65519   a seam inside groups: some warps join two of them
 *     a compiled rule       65536^2   B36/S23: four operations after the sums               9.6  13.5
 *     a rule as numbers     65536^2   nothing to compile                                   16.5  29.5
 *   life2d_resident          4096^2   the grid stays in registers; blocks exchange 8        8.5  10.6
 *                                     rows every 8 steps
 *                            1024^2   a step is a barrier, and the latency of exchanges
 *
 * B3/S23 where no rule is named. docs/lab/life2d-bit.md has the rates. */
#ifndef LIFE2D_CUDA_KERNELS_CUH
#define LIFE2D_CUDA_KERNELS_CUH

#include "cuda_resident_edges.cuh"
#include "cuda_settled.cuh"
#include "cuda_stream_edges.cuh"

/* The kernels that are compiled, in the order of preference. Streaming: steps of a launch, warps of a block, blocks on
 * a multiprocessor, stages of the ring. Resident: rows of a strip, and the most warps of a block. */
#define LIFE2D_FOR_STREAM_FORMS(FORM)   FORM(8, 8, 1, 2) FORM(4, 10, 1, 2) FORM(2, 4, 3, 4) FORM(1, 4, 3, 4)
#define LIFE2D_FOR_SQUARE_FORMS(FORM)   FORM(4, 8, 1, 2) FORM(2, 4, 3, 4) FORM(1, 4, 3, 4)
#define LIFE2D_FOR_RESIDENT_FORMS(FORM) FORM(1, 8) FORM(2, 12) FORM(3, 16) FORM(5, 12)

/* JOB is stream_job or resident_job, or the same for grids with dead edges. */
template <int LEVELS, int WARPS, int BLOCKS, int RING, class JOB, class RULE>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    life2d_stream(const __grid_constant__ JOB job, const __grid_constant__ RULE rule)
{
    stream_grid<LEVELS, RING>(job, rule);
}

template <int ROWS, int WARPS, class JOB, class RULE>
__global__ void __launch_bounds__(32 * WARPS, 1)
    life2d_resident(const __grid_constant__ JOB job, const __grid_constant__ RULE rule)
{
    stay_resident<ROWS, WARPS>(job, rule);
}

#endif
