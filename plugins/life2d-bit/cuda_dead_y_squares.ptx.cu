/* The kernels of cuda_squares.ptx.cu for grids with dead edges along y alone. */
#define LIFE2D_JOB(job) dead_##job<0>
#include "cuda_squares.ptx.cu"
