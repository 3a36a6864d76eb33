/* The devices of a context: the host, and devices of one other kind, which whoever opens the context hands in.
 *
 * Each context has devices of its own, with their own streams and pinned memory, so that threads can use different
 * contexts at the same time. Only the primary context of a GPU exists once per process, inside CUDA. */
#ifndef CORE_MEMORY_DEVICES_H
#define CORE_MEMORY_DEVICES_H

#include "base/context.h"
#include "memory/device.h"

/* A kind of devices beside the host. */
struct device_kind {
    uint32_t memory;  /* ENGINE_CUDA_MEMORY … */
    const char *name; /* of one of them, for messages */

    /* Opens device number `ordinal`, which close releases. ENGINE_STATUS_DEVICE; *device is then NULL. */
    int (*open)(int32_t ordinal, struct device **device, struct engine_error *error);
    void (*close)(struct device *device);
};

/* Opens the host's device, context->devices. Devices of the kind are opened when they are first asked for; NULL: the
 * context has the host alone. ENGINE_STATUS_DEVICE: no memory. */
int devices_open(struct context *context, const struct device_kind *kind, struct engine_error *error);

/* Closes all devices of the context. The caller has released all their memory. */
void devices_close(struct context *context);

/* The host's memory. */
struct device *devices_host(const struct context *context);

/* Finds the device with this kind of memory, ENGINE_HOST_MEMORY …, and opens it at the first call. `ordinal` is the
 * number of a device of the other kind. ENGINE_STATUS_DEVICE: it cannot be opened; later calls return the same error. */
int devices_find(const struct context *context, uint32_t memory, int32_t ordinal, struct device **device,
                 struct engine_error *error);

#endif
