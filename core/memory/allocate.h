/* Allocation of buffers and scratch on a device, or by the hooks of the context. */
#ifndef CORE_MEMORY_ALLOCATE_H
#define CORE_MEMORY_ALLOCATE_H

#include "base/context.h"
#include "memory/device.h"

/* Allocates memory by the hooks of the context or, if it has none, by device->allocate, which clears it. The context
 * may be NULL. */
int memory_allocate(const struct context *context, struct device *device, uint64_t bytes, void **memory,
                    struct engine_error *error);

/* Releases memory that memory_allocate returned for the same context, device and size. */
void memory_release(const struct context *context, struct device *device, void *memory, uint64_t bytes);

#endif
