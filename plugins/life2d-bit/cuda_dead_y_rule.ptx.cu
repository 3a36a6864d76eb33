/* The kernels of cuda_rule.ptx.cu for grids with dead edges along y alone. */
#define LIFE2D_JOB(job) dead_##job<0>
#include "cuda_rule.ptx.cu"
