// clang-format off
/*
 * Kernels of 3D Life, one bit a cell, on a torus of any size.
 *
 * Cells are striped: in a group of 128 cells cell x is bit x / 4 of word x mod 4, so that a lane that holds a group finds
 * the cells beside a word at the same bit of the next register, and needs two shifts for four words. Three by three by
 * three are added in the order y, x, z by full adders of two operations each: 21 operations on a word, and a shift.
 *
 * Instructions on a word of 32 cells a step, those of the pipe for logic and shifts and all; what was measured; and its
 * share of what 22 operations a word allow (15.7 T/s measured: 22.8 T), of a copy where it says so:
 *
 *   kernel and size                    what it adds                                        logic   all    rate     share
 *   packed_stream, 1 step     1024^3   planes come through a ring that cp.async fills,      19.4  36.1  14.8 T   87% of copy
 *                                      sums of two of them stay in registers along z
 *   packed_stream, 2 steps    1024^3   a second level, through shared memory; two planes    18.8  34.3  19.2 T   84%
 *                                      at a time; xors as multiplications beside the logic
 *                              512^3   22 marches a slab: 12 turns, and what starts them                15.5 T   68%
 *                              256^3   44 marches a slab: 3 turns                                        6.7 T   29%
 *                             1023^3   a seam in every row                                  21.6  37.7  16.7 T   73%
 *                   1000 x 517 x 333   the same; 1024 x 512 x 336 takes 15.6 T                          13.8 T   60%
 *     a rule compiled in      1024^3   B6/S5..7 so: its network is as short as the built-in one         18.8 T   82%
 *                                      B4,6,9..11/S5,7                                                  16.5 T   72%
 *     a rule as numbers       1024^3   nothing to compile                                                7.3 T   32%
 *   packed_resident            256^3   cuda_resident.cuh                                                 9.7 T   43%
 *
 * T: 10^12 cells a second, of B6/S5..7 where no rule is named; medians of graph replays on one NVIDIA H200, CUDA 13.0,
 * 2026-11-20, copy 4.25 TB/s; 669 checks bit-exact.
 *
 * What brought a step of two levels at 1024^3 from 71.4 microseconds to 56.1: equal parts, levels that begin only when
 * they have planes, and a barrier in two halves (-16% together); 12 warps with the registers they need, where 16 spilt
 * (-2%); four xors of 21 as multiplications (-3%; two registers are read a cycle, which is the next limit). At 512^3 a
 * launch that begins while the one before ends is worth 3%.
 *
 * Tried and left out: two blocks of 8 warps (+10%: more rows are computed twice); one lane of a warp arriving at the
 * barrier for all (the same, and tools that look for races cannot follow).
 */
// clang-format on
#ifndef LIFE3D_PACKED_CUDA_KERNELS_CUH
#define LIFE3D_PACKED_CUDA_KERNELS_CUH

#include "cuda_network.cuh"
#include "cuda_resident.cuh"
#include "cuda_stream.cuh"

/* Streaming: steps a launch, is there a seam, warps of a block at most, stages of the ring; most steps first. */
#define PACKED_FOR_STREAM_FORMS(FORM) FORM(2, 0, 12, 4) FORM(2, 1, 12, 4) FORM(1, 0, 16, 3) FORM(1, 1, 16, 3)

/* Resident: is there a seam. */
#define PACKED_FOR_RESIDENT_FORMS(FORM) FORM(0) FORM(1)

template <int LEVELS, int SEAM, int WARPS, int RING, class RULE>
__global__ void __launch_bounds__(32 * WARPS, 1)
    packed_stream(const __grid_constant__ stream_job job, const __grid_constant__ RULE rule)
{
    stream_levels<LEVELS, WARPS, RING, SEAM>(job, rule);
}

template <int SEAM, class RULE>
__global__ void __launch_bounds__(32 * RESIDENT_WARPS, 1)
    packed_resident(const __grid_constant__ resident_job job, const __grid_constant__ RULE rule)
{
    stay_resident<SEAM>(job, rule);
}

#endif
