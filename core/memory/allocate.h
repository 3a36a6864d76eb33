/* Memory of a device for buffers and scratch. The conformance suite puts guards around all of it, by the hooks of the
 * context. */
#ifndef CORE_MEMORY_ALLOCATE_H
#define CORE_MEMORY_ALLOCATE_H

#include "base/context.h"
#include "memory/device.h"

/* Allocates cleared memory, as device->allocate does, or as the hooks of the context do, which may be NULL. */
int memory_allocate(const struct context *context, struct device *device, uint64_t bytes, void **memory,
                    struct engine_error *error);

/* Releases memory of the same context, device and size. */
void memory_release(const struct context *context, struct device *device, void *memory, uint64_t bytes);

#endif
