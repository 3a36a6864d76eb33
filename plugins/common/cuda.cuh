/* Host code for CUDA: engine/cuda.h, and what the plugins here need beyond it. */
#ifndef COMMON_CUDA_CUH
#define COMMON_CUDA_CUH

#include <common/divide.h>
#include <engine/cuda.h>

/* ENGINE_CUDA_FAIL with a text in printf's format: records "<text>: name: description" and is ENGINE_DEVICE. */
#define CUDA_FAIL(host, error, text, ...) \
    ((void) cudaGetLastError(), ENGINE_FAIL(host, ENGINE_DEVICE, text ": %s: %s", ##__VA_ARGS__, \
                                            cudaGetErrorName(error), cudaGetErrorString(error)))

/* Start. Copies `count` elements of a host array into new device memory, *to, that lives as long as the instance. Waits
 * until the copy is complete. ENGINE_NO_MEMORY, ENGINE_DEVICE. */
template <class T> static inline int cuda_upload(const engine_call *call, const T *from, uint64_t count, T **to)
{
    *to = (T *) call->host->scratch(call->host, count * sizeof *from, ENGINE_CUDA_MEMORY);
    if (!*to)
        return ENGINE_NO_MEMORY;
    ENGINE_CUDA_CHECK(
        call->host, cudaMemcpyAsync(*to, from, count * sizeof *from, cudaMemcpyHostToDevice, engine_cuda_stream(call)));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(engine_cuda_stream(call)));
    return 0;
}

/* Start. Checks that a kernel can have blocks of `threads` threads; its registers limit them. */
static inline int cuda_check_threads(const engine_host *host, const void *kernel, uint64_t threads)
{
    cudaFuncAttributes about;
    ENGINE_CUDA_CHECK(host, cudaFuncGetAttributes(&about, kernel));
    if (threads <= (uint64_t) about.maxThreadsPerBlock)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "blocks of %llu threads are too large: this kernel takes at most %d",
                       (unsigned long long) threads, about.maxThreadsPerBlock);
}

#endif
