/* The kernels of a batch for a rule that is known when the run starts, as cuda_rule.ptx.cu has those of one grid. */
#include "cuda_batch_kernels.cuh"

#ifndef LIFE2D_JOB /* cuda_dead_x_… and cuda_dead_y_… define it */
#define LIFE2D_JOB(job) job
#endif

#define REGISTERS(WORDS, WARPS, BLOCKS) \
    extern "C" __global__ void __launch_bounds__(32 * WARPS, BLOCKS) life2d_batch_##WORDS( \
        const __grid_constant__ LIFE2D_JOB(batch_job) job, const __grid_constant__ rule_written_later rule) \
    { \
        batch_in_registers<WORDS>(job, rule); \
    }

LIFE2D_FOR_BATCH_FORMS(REGISTERS)

extern "C" __global__ void __launch_bounds__(BATCH_BLOCK_THREADS)
    life2d_batch_in_block(const __grid_constant__ LIFE2D_JOB(batch_block_job) job,
                          const __grid_constant__ rule_written_later rule)
{
    batch_in_block(job, rule);
}
