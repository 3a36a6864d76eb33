/* pairs with its CUDA implementation on the host, by the coroutines of simt.h. No system is small: the kernel for small
 * ones has a test of its own, pairs_small.cpp.
 *
 * mk/tests.mk changes each launch in cuda.cu, kernel<<<blocks, threads, …>>>(…), to a call of `launch_here`. */
#define __CUDACC__ 1
#include "../stencil/runtime.h"
#include "../stencil/simt.h"

#undef __shared__
#define __shared__ static

/* ---- The runtime ------------------------------------------------------------------------------------------------- */

struct cudaFuncAttributes {
    int maxThreadsPerBlock;
};

template <class Kernel> [[maybe_unused]] static int cudaFuncGetAttributes(cudaFuncAttributes *about, Kernel)
{
    about->maxThreadsPerBlock = 1024;
    return cudaSuccess;
}
static int cudaMemcpy(void *to, const void *from, size_t bytes, int)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}
static long long __double2ll_rn(double number)
{
    return llrint(number);
}

/* ---- Small systems ----------------------------------------------------------------------------------------------- */

#define PAIRS_SMALL_EMULATED
static unsigned char *small_bytes()
{
    return nullptr;
}
static uint32_t small_rank()
{
    return 0;
}
template <class T> static T *small_in(T *own, uint32_t)
{
    return own;
}
[[maybe_unused]] static void small_wait(uint32_t)
{
}

#define THREADS      PAIRS_EMULATED_THREADS /* simt.h has the other one */
#define ENGINE_MINOR 16
#include <engine/plugin.h>
#define ENGINE_CUDA_MEMORY ENGINE_HOST_MEMORY
#pragma GCC diagnostic push /* nvcc does not warn of these */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <pairs/cuda_bonds.cuh>

#define PAIRS_CUDA_SMALL_CALLS_CUH
struct small_launches {
    small_job job;
    uint32_t lanes;
    bool differ;
};

static void small_bind(small_job *job, const engine_call *call)
{
    job->fields = engine_neighbours_fields_of(call, call->current);
}

template <class Rule>
static int small_prepare(const engine_call *, const Rule &, const double *, uint32_t, small_launches *)
{
    return 0;
}

template <class Rule>
static int small_advance(small_launches *, const engine_call *, const Rule &, uint64_t *, uint64_t *, uint64_t *)
{
    return ENGINE_INTERNAL;
}

#include "pairs_cuda.cpp"
#pragma GCC diagnostic pop
