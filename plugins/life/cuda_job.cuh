/* A job for kernels with one bit a cell, and its launch: what the steppers of life2d-bit and life3d-packed share. */
#ifndef LIFE_CUDA_JOB_CUH
#define LIFE_CUDA_JOB_CUH

#include <life/cuda_rule.cuh>
#include <life/dead_axes.h>

/* One call: take `steps` steps from cells[0]. A row lies in groups of 128 cells: cell x is in group x / 128, there in
 * word x % 4 at bit x % 128 / 4. The kernels ignore the bits beyond the width and may leave anything there. The plugins
 * add members of their own. */
struct life_cuda_job {
    void *cells[2];                 /* 16-byte aligned; both may be overwritten */
    uint64_t width, height, depth;  /* at least 1; depth is 1 in two dimensions */
    int64_t row_bytes, plane_bytes; /* the distance between rows and between planes, multiples of 16 */
    uint32_t dead; /* LIFE_DEAD_X and so on: the axes beyond whose edges the cells are dead; the grid is a torus along
                      the others */
    uint64_t steps;
    void *scratch; /* 256-byte aligned; its contents do not matter */
    cudaStream_t stream;
    int form; /* changes only the speed */
};

/* The grid of a launch: blocks, warps of a block, bytes of dynamic shared memory of a block. */
struct life_launch {
    uint64_t blocks, warps, shared;
};

/* Launches a kernel of the arguments (job, numbers), with one attribute or NULL. */
static inline cudaError_t life_launch_kernel(const void *function, const life_launch &size, cudaStream_t stream,
                                             cudaLaunchAttribute *attribute, const void *job, const uint32_t *numbers)
{
    cudaLaunchConfig_t config = {};
    config.gridDim = dim3((unsigned) size.blocks);
    config.blockDim = dim3((unsigned) size.warps * 32);
    config.dynamicSmemBytes = size.shared;
    config.stream = stream;
    config.attrs = attribute;
    config.numAttrs = attribute != NULL;
    void *arguments[] = {const_cast<void *>(job), const_cast<uint32_t *>(numbers)};
    return cudaLaunchKernelExC(&config, function, arguments);
}

/* The same where blocks wait for each other, so that all have to run at once. */
static inline cudaError_t life_launch_cooperative(const void *function, const life_launch &size, cudaStream_t stream,
                                                  const void *job, const uint32_t *numbers)
{
    cudaLaunchAttribute cooperative;
    cooperative.id = cudaLaunchAttributeCooperative;
    cooperative.val.cooperative = 1;
    return life_launch_kernel(function, size, stream, &cooperative, job, numbers);
}

#endif
