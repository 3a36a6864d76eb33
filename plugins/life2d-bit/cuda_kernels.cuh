// clang-format off
/*
 * Kernels of 2D Life, one bit a cell, on a torus of any size.
 *
 * Cells are striped: in a group of 128 cells cell x is bit x / 4 of word x mod 4, so that a lane that holds a group finds
 * the cells beside a word at the same bit of the next register, and needs two shifts for four words. A row's sums (odd:
 * xor, at least two: majority, of a cell and its two neighbours) are made once and serve the three rows that see them.
 *
 * Operations on a word of 32 cells a step, those of the pipe for logic and shifts and all; what was measured; and its
 * share of what that pipe allows (16.55 T/s measured), computing what the lanes and rows at the borders compute twice:
 *
 *   kernel and size                   what it adds                                       logic   all    rate     share
 *   life2d_stream, 1 step  65536^2    rows come through a ring that cp.async fills                      12.2 T   72% of copy
 *   life2d_stream, 8 steps 65536^2    8 levels in registers, no lane idle at any width,    7.5   11.1   56.1 T   85%
 *                                     xors of sums as multiplications beside the logic
 *                          16384^2    bands of 68 rows, and 10 to warm up                               46.1 T   81%
 *                    65521 x 65519    a seam inside groups: some warps join two of them                 51.7 T   78%
 *     a rule compiled in   65536^2    B36/S23: four operations after the sums              9.6   13.5   45.5 T   88%
 *     a rule as numbers    65536^2    nothing to compile                                  16.5   29.5   22.6 T   75%
 *   life2d_resident         4096^2    the grid stays in registers, blocks send each        8.5   10.6   26.5 T   52%
 *                                     other 8 rows every 8 steps
 *                           1024^2    a step is its barrier, an exchange its way there                   4.4 T
 *
 * T: 10^12 cells a second, of B3/S23 where no rule is named; medians of graph replays on one NVIDIA H200, CUDA 13.0,
 * 2026-11-20, copy 4.25 TB/s in the same run; bit-exact in 4300 checks.
 *
 * Tried and left out: shifts and further xors as multiplications (-4%: two registers are read a cycle, and multiplications
 * read too); 12 warps of 6 levels, 8 rows a turn of the loop (-25%: the instruction cache); a barrier that keeps a block's
 * warps in step (-10%); resident, flags between warps for the block's barrier (+2% at 4096^2, -25% at 1024^2).
 */
// clang-format on
#ifndef LIFE2D_CUDA_KERNELS_CUH
#define LIFE2D_CUDA_KERNELS_CUH

#include "cuda_resident.cuh"
#include "cuda_stream.cuh"

/* Streaming: steps a launch, warps of a block, blocks on a multiprocessor, stages of the ring. Resident: rows of a
 * strip, warps of a block at most; in the order of preference. */
#define LIFE2D_FOR_STREAM_FORMS(FORM)   FORM(8, 8, 1, 2) FORM(4, 10, 1, 2) FORM(2, 4, 3, 4) FORM(1, 4, 3, 4)
#define LIFE2D_FOR_RESIDENT_FORMS(FORM) FORM(1, 8) FORM(2, 12) FORM(3, 16) FORM(5, 12)

template <int LEVELS, int WARPS, int BLOCKS, int RING, class RULE>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    life2d_stream(const __grid_constant__ stream_job job, const __grid_constant__ RULE rule)
{
    stream_levels<LEVELS, RING>(job, rule);
}

template <int ROWS, int WARPS, class RULE>
__global__ void __launch_bounds__(32 * WARPS, 1)
    life2d_resident(const __grid_constant__ resident_job job, const __grid_constant__ RULE rule)
{
    stay_resident<ROWS, WARPS>(job, rule);
}

#endif
