/* Host code for CUDA: engine/cuda.h, and what the plugins here need beyond it. */
#ifndef COMMON_CUDA_CUH
#define COMMON_CUDA_CUH

#include <common/divide.h>
#include <engine/cuda.h>

/* ENGINE_CUDA_FAIL with a text in printf's format: records "<text>: name: description" and is ENGINE_DEVICE. */
#define CUDA_FAIL(host, error, text, ...) \
    ((void) cudaGetLastError(), ENGINE_FAIL(host, ENGINE_DEVICE, text ": %s: %s", ##__VA_ARGS__, \
                                            cudaGetErrorName(error), cudaGetErrorString(error)))

#endif
