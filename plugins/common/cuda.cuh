/* Checks of CUDA calls in host code. */
#ifndef COMMON_CUDA_CUH
#define COMMON_CUDA_CUH

#include <common/divide.h>
#include <cuda_runtime.h>
#include <engine/plugin.h>

/* Returns the error of a CUDA call from the surrounding function, which returns a cudaError_t. */
#define ENGINE_CUDA_TRY(call) \
    do { \
        const cudaError_t engine_error_ = (call); \
        if (engine_error_ != cudaSuccess) \
            return engine_error_; \
    } while (0)

/* Reports the error of a CUDA call to the host and returns ENGINE_DEVICE from the surrounding function, which returns
 * an int. The message holds the text of the call. */
#define ENGINE_CUDA_CHECK(host, call) \
    do { \
        const cudaError_t engine_error_ = (call); \
        if (engine_error_ != cudaSuccess) \
            return CUDA_FAIL(host, engine_error_, "%s", #call); \
    } while (0)

/* Reports an error to the host and is ENGINE_DEVICE. `what` and the arguments after it, in printf's format, say what
 * failed; CUDA's name and description of the error follow. The macro clears the error that the runtime remembers, so
 * that the next cudaGetLastError does not report it again. */
#define CUDA_FAIL(host, error, what, ...) \
    ((void) cudaGetLastError(), ENGINE_FAIL(host, ENGINE_DEVICE, what ": %s: %s", ##__VA_ARGS__, \
                                            cudaGetErrorName(error), cudaGetErrorString(error)))

#endif
