/* The CUDA implementation of RULE on the host, by the coroutines of simt.h.
 *
 * mk/tests.mk changes each launch in neighbours.cuh, kernel<<<blocks, threads, …>>>(…), to a call of `launch_here`. */
#define __CUDACC__ 1
#include "../stencil/runtime.h"
#include "../stencil/simt.h"

#undef __shared__
#define __shared__ static

/* ---- The implementation ------------------------------------------------------------------------------------------ */

#define NEIGHBOURS_ROOM 24
#include RULE

#define ENGINE_CUDA_MEMORY ENGINE_HOST_MEMORY
#include <engine/neighbours.cuh>
