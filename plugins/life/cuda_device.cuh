/* The device of a run: what it has, and how its errors are passed on. */
#ifndef LIFE_CUDA_DEVICE_CUH
#define LIFE_CUDA_DEVICE_CUH

#include <common/cuda.cuh>

struct life_cuda_device {
    int multiprocessors;
    int shared_bytes; /* of shared memory a block, at most */
};

/* The current one. */
static inline cudaError_t life_find_device(struct life_cuda_device *found)
{
    int device;
    ENGINE_CUDA_TRY(cudaGetDevice(&device));
    ENGINE_CUDA_TRY(cudaDeviceGetAttribute(&found->multiprocessors, cudaDevAttrMultiProcessorCount, device));
    return cudaDeviceGetAttribute(&found->shared_bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
}

/* Plan. The same, and whether a block can have so many bytes of shared memory. */
static inline int life_probe_device(const struct engine_host *host, int shared_bytes, struct life_cuda_device *found)
{
    *found = {};
    if (life_find_device(found) == cudaSuccess && found->shared_bytes >= shared_bytes)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "needs %d KB of shared memory a block; this device has %d",
                       (shared_bytes + 1023) / 1024, found->shared_bytes / 1024);
}

#endif
