/* The kernels of cuda_batch_rule.ptx.cu for grids with dead edges. Those with an x are for dead edges along x, or along both
 * axes. */
#include "cuda_batch.cuh"

#define REGISTERS(NAME, X, WORDS, WARPS, BLOCKS) \
    extern "C" __global__ void __launch_bounds__(32 * WARPS, BLOCKS) \
        NAME##WORDS(const __grid_constant__ dead_batch_job<X> job, const __grid_constant__ rule_written_later rule) \
    { \
        batch_in_registers<WORDS>(job, rule); \
    }
#define ALONG_X(WORDS, WARPS, BLOCKS) REGISTERS(life2d_batch_x_, 1, WORDS, WARPS, BLOCKS)
#define ALONG_Y(WORDS, WARPS, BLOCKS) REGISTERS(life2d_batch_, 0, WORDS, WARPS, BLOCKS)

LIFE2D_FOR_BATCH_FORMS(ALONG_X)
LIFE2D_FOR_BATCH_FORMS(ALONG_Y)

extern "C" __global__ void __launch_bounds__(BATCH_BLOCK_THREADS)
    life2d_batch_in_block(const __grid_constant__ dead_batch_block_job job,
                          const __grid_constant__ rule_written_later rule)
{
    batch_in_block(job, rule);
}
