/* Kernels of 2D Life for a batch: many small universes, each of which stays on the chip for all steps of a call. */
#ifndef LIFE2D_BATCH_KERNELS_CUH
#define LIFE2D_BATCH_KERNELS_CUH

#include "cuda_batch_block.cuh"
#include "cuda_batch_edges.cuh"

/* Words of a row, warps of a block, and blocks on a multiprocessor, which limit the registers of a lane. */
#define LIFE2D_FOR_BATCH_FORMS(FORM) FORM(1, 4, 10) FORM(2, 4, 8) FORM(4, 4, 5) FORM(8, 4, 3)

template <int WORDS, int WARPS, int BLOCKS, class JOB, class RULE>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    life2d_batch(const __grid_constant__ JOB job, const __grid_constant__ RULE rule)
{
    batch_in_registers<WORDS>(job, rule);
}

enum { BATCH_BLOCK_THREADS = 512, BATCH_MOST_SHARED = 96 << 10 }; /* of a block; the latter in bytes */

template <class JOB, class RULE>
__global__ void __launch_bounds__(BATCH_BLOCK_THREADS)
    life2d_batch_block(const __grid_constant__ JOB job, const __grid_constant__ RULE rule)
{
    batch_in_block(job, rule);
}

#endif
