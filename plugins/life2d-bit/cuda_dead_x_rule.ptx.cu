/* The kernels of cuda_rule.ptx.cu for grids with dead edges along x, or along x and y. */
#define LIFE2D_JOB(job) dead_##job<1>
#include "cuda_rule.ptx.cu"
