/* What the host code of a CUDA implementation takes from the CUDA runtime, on the host. */
#ifndef TESTS_STENCIL_RUNTIME_H
#define TESTS_STENCIL_RUNTIME_H

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

typedef int cudaError_t;
typedef void *cudaStream_t;
enum {
    cudaSuccess,
    cudaErrorUnknown,
    cudaMemcpyDeviceToHost,
    cudaMemcpyHostToDevice,
    cudaDevAttrMultiProcessorCount,
    cudaFuncAttributeMaxDynamicSharedMemorySize
};

[[maybe_unused]] static const char *cudaGetErrorName(int)
{
    return "";
}
[[maybe_unused]] static const char *cudaGetErrorString(int)
{
    return "";
}
[[maybe_unused]] static int cudaGetLastError()
{
    return cudaSuccess;
}
[[maybe_unused]] static int cudaStreamSynchronize(cudaStream_t)
{
    return cudaSuccess;
}
[[maybe_unused]] static int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int, cudaStream_t)
{
    memcpy(to, from, bytes);
    return cudaSuccess;
}
[[maybe_unused]] static int cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t)
{
    memset(to, value, bytes);
    return cudaSuccess;
}

/* To the nearest integer; what does not fit is limited. */
[[maybe_unused]] static int32_t __float2int_rn(float number)
{
    return number >= 0x1p31f   ? INT32_MAX
           : number < -0x1p31f ? INT32_MIN
           : number == number  ? (int32_t) lrintf(number)
                               : 0;
}

template <class T> static void atomicMin(T *at, T number)
{
    *at = number < *at ? number : *at;
}
template <class T> static void atomicMax(T *at, T number)
{
    *at = number > *at ? number : *at;
}

#endif
