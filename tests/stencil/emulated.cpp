/* The CUDA implementation of RULE on the host, by the coroutines of simt.h.
 *
 * mk/tests.mk changes each launch in stencil.cuh, kernel<<<blocks, threads, …>>>(…), to a call of `launch_here`. */
#define __CUDACC__ 1
#include "runtime.h"
#include "simt.h"

/* ---- The runtime: a small device, so that grids of a test need several blocks ------------------------------------ */

template <class Kernel> static int cudaFuncSetAttribute(Kernel, int, int)
{
    return cudaSuccess;
}
static int cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

static int cudaDeviceGetAttribute(int *value, int, int)
{
    *value = 3;
    return cudaSuccess;
}

template <class Kernel> static int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, Kernel, int, size_t)
{
    *blocks = 2;
    return cudaSuccess;
}

/* ---- The implementation ------------------------------------------------------------------------------------------ */

#include RULE

#define ENGINE_CUDA_MEMORY ENGINE_HOST_MEMORY
namespace engine_stencil
{
alignas(16) unsigned char memory[1 << 18]; /* the shared memory of the block that runs */
}

#include <engine/stencil.cuh>
