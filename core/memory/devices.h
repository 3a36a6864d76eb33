/* The devices of a context: the host, and the CUDA devices that it has opened.
 *
 * Each context opens devices of its own, with a stream and pinned memory of their own, so that threads may use
 * different contexts at the same time. CUDA keeps the rest, such as the primary context of a GPU, once per process. */
#ifndef CORE_MEMORY_DEVICES_H
#define CORE_MEMORY_DEVICES_H

#include "base/context.h"
#include "memory/device.h"

/* Opens the host's device, context->devices. CUDA devices are opened when they are first asked for.
 * ENGINE_STATUS_DEVICE: no memory. */
int devices_open(struct context *context, struct engine_error *error);

/* Closes all devices of the context. All their memory has been released. */
void devices_close(struct context *context);

/* The host's memory. */
struct device *devices_host(const struct context *context);

/* Finds the device that has this kind of memory, ENGINE_HOST_MEMORY …, and opens it where it is a CUDA device that is not
 * open yet. `ordinal` is the number of a CUDA device. ENGINE_STATUS_DEVICE, the same each time a device is asked for
 * that cannot be opened. */
int devices_find(const struct context *context, uint32_t memory, int32_t ordinal, struct device **device,
                 struct engine_error *error);

#endif
