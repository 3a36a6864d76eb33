/* The kernels of cuda_rule.ptx.cu for grids with dead edges. */
#define PACKED_JOB(job) dead_##job
#include "cuda_rule.ptx.cu"
