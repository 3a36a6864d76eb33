/* The properties of the current CUDA device that the Life plugins use. */
#ifndef LIFE_CUDA_DEVICE_CUH
#define LIFE_CUDA_DEVICE_CUH

#include <common/cuda.cuh>

struct life_cuda_device {
    int multiprocessors;
    int shared_bytes; /* the most shared memory that a block may have */
};

static inline cudaError_t life_find_device(struct life_cuda_device *found)
{
    int device;
    ENGINE_CUDA_TRY(cudaGetDevice(&device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&found->multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return cudaDeviceGetAttribute(&found->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
}

#endif
