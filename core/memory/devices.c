#include "memory/devices.h"
#include "memory/device_host.h"

#include <stdlib.h>

enum { DEVICES_MAX = 16 };

/* An attempt to open a device, which is made once. */
struct attempt {
    bool made;
    struct device *device; /* NULL: it failed */
    struct engine_error error;
};

struct devices {
    struct device host;
    const struct device_kind *kind;
    struct attempt attempts[DEVICES_MAX]; /* by their ordinals */
};

int devices_open(struct context *context, const struct device_kind *kind, struct engine_error *error)
{
    context->devices = calloc(1, sizeof *context->devices);
    if (!context->devices)
        return error_memory(error, sizeof *context->devices, "the devices");
    context->devices->kind = kind;
    return host_open(&context->devices->host, error);
}

void devices_close(struct context *context)
{
    struct devices *devices = context->devices;
    for (int i = 0; devices && i < DEVICES_MAX; i++)
        if (devices->attempts[i].device)
            devices->kind->close(devices->attempts[i].device);
    if (devices)
        host_close(&devices->host);
    free(devices);
    context->devices = NULL;
}

struct device *devices_host(const struct context *context)
{
    return &context->devices->host;
}

static int find(struct devices *devices, int32_t ordinal, struct device **device, struct engine_error *error)
{
    if (ordinal < 0 || ordinal >= DEVICES_MAX)
        return error_set(error, ENGINE_STATUS_DEVICE, "there is no %s %d; expected 0 to %d", devices->kind->name,
                         (int) ordinal, DEVICES_MAX - 1);
    struct attempt *attempt = &devices->attempts[ordinal];
    if (!attempt->made)
        devices->kind->open(ordinal, &attempt->device, &attempt->error);
    attempt->made = true;
    if (!attempt->device) {
        *error = attempt->error;
        return error->status;
    }
    *device = attempt->device;
    return attempt->device->use(attempt->device, error);
}

int devices_find(const struct context *context, uint32_t memory, int32_t ordinal, struct device **device,
                 struct engine_error *error)
{
    struct devices *devices = context->devices;
    *device = memory == ENGINE_HOST_MEMORY ? &devices->host : NULL;
    if (*device)
        return 0;
    return devices->kind && devices->kind->memory == memory
               ? find(devices, ordinal, device, error)
               : error_set(error, ENGINE_STATUS_DEVICE, "this program has no devices beside the host");
}
