/* A CUDA device, for the files of CUDA memory; and the kind of such devices, for who opens a context. */
#ifndef LIB_CUDA_DEVICE_CUDA_H
#define LIB_CUDA_DEVICE_CUDA_H

#include "cuda/cuda_driver.h"
#include "memory/devices.h"

#include <pthread.h>

extern const struct device_kind cuda_devices;

enum { CUDA_BLOCK = 256 }; /* threads of a block of the core's kernels */

struct cuda {
    struct device device;
    const struct cuda_driver *driver;
    CUcontext context;
    CUmodule module; /* of the core's kernels */
    CUevent event;   /* what other devices wait for */
    int32_t ordinal;
    uint64_t asked, granted; /* bit i: access to the memory of device i was asked for, and given */
    int multiprocessors;
    CUstream uploads;       /* of upload_beside; NULL: not used yet */
    void *window;           /* pinned host memory, through which ranges of arrays are copied */
    pthread_mutex_t moving; /* held by the thread that uses the window */
    CUfunction wrap_x_bits, wrap_x_elements, wrap_slices_16, wrap_slices_1;
    CUfunction fetch_16, sum_arrays;
    CUfunction put_16, pass_barrier;
    CUfunction region_threads, region_warps;
    CUfunction hash_blocks;
    CUfunction limit_logic, limit_fma, limit_fma64;
    struct cuda_driver loaded; /* where `driver` points to */
};

static inline struct cuda *cuda_of(struct device *device)
{
    return (struct cuda *) device;
}

static inline CUstream cuda_stream(const struct cuda *cuda)
{
    return cuda->device.stream;
}

/* Calls a function of the driver. Returns 0, or the status of the error, which is recorded with the place of the
 * call. */
#define CUDA_TRY(cuda, error, call) CUDA_CHECK((cuda)->driver, error, call)

/* Makes the device's context current in the calling thread. */
static inline int cuda_make_current(const struct cuda *cuda, struct engine_error *error)
{
    return CUDA_TRY(cuda, error, context_set(cuda->context));
}

/* Launches a kernel in blocks of CUDA_BLOCK threads on the device's stream. */
static inline int cuda_launch(const struct cuda *cuda, CUfunction function, const unsigned grid[3], void **arguments,
                              struct engine_error *error)
{
    return CUDA_TRY(
        cuda, error,
        launch(function, grid[0], grid[1], grid[2], CUDA_BLOCK, 1, 1, 0, cuda_stream(cuda), arguments, NULL));
}

/* Fills the ghosts of a buffer (cuda_wrap.c). */
int cuda_wrap(struct device *device, const struct geometry *geometry, void *buffer, uint32_t threads,
              struct engine_error *error);

/* Makes rows of a region in the memory of the device (cuda_region.c): as device->make_rows, for a layout that the engine
 * knows, and rows that fit into `most` bytes of the window, whose lock the caller holds. */
int cuda_make_rows(struct cuda *cuda, const struct geometry *geometry, const void *buffer, const struct region *region,
                   uint64_t row, uint64_t rows, uint64_t most, void *out, struct engine_error *error);

/* Adds elements to a hash from where they are (cuda_hash.c): as device->hash, for a layout that the engine knows. It
 * uses `most` bytes of the window, whose lock the caller holds. */
int cuda_hash(struct cuda *cuda, const struct geometry *geometry, const void *buffer, uint64_t begin, uint64_t count,
              uint32_t values, uint64_t most, struct hash *chain, struct engine_error *error);

/* Measures the limits of a CUDA device, in about a second (cuda_limits.c). ENGINE_STATUS_DEVICE. */
int cuda_limits(struct device *device, struct engine_limits *limits, struct engine_error *error);

/* The bytes of its memory that are free; UINT64_MAX: not known. */
uint64_t cuda_available(struct device *device);

#endif
