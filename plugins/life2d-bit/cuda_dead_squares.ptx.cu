/* The kernels of cuda_squares.ptx.cu for grids with dead edges. */
#define LIFE2D_DEAD(job) dead_##job
#include "cuda_squares.ptx.cu"
