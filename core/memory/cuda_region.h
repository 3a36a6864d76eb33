/* Regions of a field in the memory of a CUDA device. */
#ifndef CORE_MEMORY_CUDA_REGION_H
#define CORE_MEMORY_CUDA_REGION_H

#include "memory/device_cuda.h"
#include "memory/region_kernel.h"

/* Describes rows [row, row + rows) of a region to the kernels, which write them to `out`. The layout of the buffer is
 * one that the engine knows. */
struct region_task cuda_region_task(const struct geometry *geometry, const void *buffer, const struct region *region,
                                    uint64_t row, uint64_t rows, void *out);

/* The implementation of device->make_rows, for layouts that the engine knows and rows that fit into `most` bytes of the
 * device's pinned memory. The caller holds its lock. */
int cuda_make_rows(struct cuda *cuda, const struct geometry *geometry, const void *buffer, const struct region *region,
                   uint64_t row, uint64_t rows, uint64_t most, void *out, struct engine_error *error);

#endif
