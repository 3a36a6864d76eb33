/* The kernels of cuda_rule.ptx.cu for grids with dead edges. */
#define GENERATIONS_DEAD true
#include "cuda_rule.ptx.cu"
