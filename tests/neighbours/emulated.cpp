/* The CUDA implementation of RULE on the host, by the coroutines of simt.h.
 *
 * mk/tests.mk changes each launch in neighbours.cuh, kernel<<<blocks, threads, …>>>(…), to a call of `launch_here`. */
#define __CUDACC__ 1
#include "../stencil/simt.h"

#include <cmath>
#include <cstddef>

#undef __shared__
#define __shared__ static

/* ---- The runtime ------------------------------------------------------------------------------------------------- */

typedef int cudaError_t;
typedef void *cudaStream_t;
enum { cudaSuccess, cudaErrorUnknown, cudaMemcpyDeviceToHost };

static const char *cudaGetErrorName(int)
{
    return "";
}
static const char *cudaGetErrorString(int)
{
    return "";
}
static int cudaGetLastError()
{
    return cudaSuccess;
}
static int cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}
static int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int, cudaStream_t)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}
static int cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t)
{
    memset(to, value, bytes);
    return cudaSuccess;
}

template <class T> static void atomicMin(T *at, T number)
{
    *at = number < *at ? number : *at;
}
template <class T> static void atomicMax(T *at, T number)
{
    *at = number > *at ? number : *at;
}

/* To the nearest integer; what does not fit is limited. */
[[maybe_unused]] static int32_t __float2int_rn(float number)
{
    return number >= 0x1p31f   ? INT32_MAX
           : number < -0x1p31f ? INT32_MIN
           : number == number  ? (int32_t) lrintf(number)
                               : 0;
}

/* ---- The implementation ------------------------------------------------------------------------------------------ */

#define NEIGHBOURS_ROOM 24
#include RULE

#define ENGINE_CUDA_MEMORY ENGINE_HOST_MEMORY
#include <engine/neighbours.cuh>
