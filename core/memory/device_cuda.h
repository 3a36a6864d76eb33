/* What the files of the CUDA device share. */
#ifndef CORE_MEMORY_DEVICE_CUDA_H
#define CORE_MEMORY_DEVICE_CUDA_H

#include "memory/cuda_driver.h"
#include "memory/device.h"

struct cuda {
    struct device device;
    const struct cuda_driver *driver;
    CUcontext context;
    int multiprocessors;
    void *window; /* of pinned host memory: what crosses, crosses through it */
    CUfunction wrap_x_bits, wrap_x_elements, wrap_slices_16, wrap_slices_1;
    CUfunction limit_logic, limit_fma, limit_fma64;
};

static inline struct cuda *cuda_of(struct device *device)
{
    return (struct cuda *) device;
}

static inline CUstream cuda_stream(const struct cuda *cuda)
{
    return cuda->device.stream;
}

/* 0, or the error of a call of the driver recorded with its place. */
#define CUDA_TRY(cuda, error, call) CUDA_CHECK((cuda)->driver, error, call)

/* Launches a kernel that takes one structure, on the device's stream. */
int cuda_launch(struct cuda *cuda, CUfunction function, const unsigned grid[3], void **arguments,
                struct engine_error *error);

/* What the device measures as its limits. */
int cuda_limits(struct device *device, uint32_t threads, struct device_limits *limits, struct engine_error *error);

#endif
