#include "memory/devices.h"
#include "memory/device_cuda.h"
#include "memory/device_host.h"

#include <stdlib.h>

enum { DEVICES_MAX = 16 };

/* An attempt that is made once, and its error where it failed. */
struct attempt {
    bool made;
    struct engine_error error;
};

struct devices {
    struct device host;
    struct attempt driver_attempt;
    struct cuda_driver driver;
    struct attempt cuda_attempt[DEVICES_MAX];
    struct cuda cuda[DEVICES_MAX];
};

int devices_open(struct context *context, struct engine_error *error)
{
    context->devices = calloc(1, sizeof *context->devices);
    if (!context->devices)
        return error_memory(error, sizeof *context->devices, "the devices");
    return host_open(&context->devices->host, error);
}

void devices_close(struct context *context)
{
    struct devices *devices = context->devices;
    for (int i = 0; devices && i < DEVICES_MAX; i++)
        if (devices->cuda_attempt[i].made)
            cuda_close(&devices->cuda[i]);
    if (devices)
        host_close(&devices->host);
    free(devices);
    context->devices = NULL;
}

struct device *devices_host(const struct context *context)
{
    return &context->devices->host;
}

static int find_driver(struct devices *devices, struct engine_error *error)
{
    struct attempt *attempt = &devices->driver_attempt;
    if (!attempt->made)
        cuda_driver_load(&devices->driver, &attempt->error);
    attempt->made = true;
    if (attempt->error.status != 0)
        *error = attempt->error;
    return attempt->error.status;
}

static int find_cuda(struct devices *devices, int32_t ordinal, struct device **device, struct engine_error *error)
{
    if (ordinal < 0 || ordinal >= DEVICES_MAX)
        return error_set(error, ENGINE_STATUS_DEVICE, "there is no CUDA device %d; expected 0 to %d", (int) ordinal,
                         DEVICES_MAX - 1);
    if (find_driver(devices, error) != 0)
        return error->status;
    struct attempt *attempt = &devices->cuda_attempt[ordinal];
    struct cuda *cuda = &devices->cuda[ordinal];
    if (!attempt->made)
        cuda_open(cuda, &devices->driver, ordinal, &attempt->error);
    attempt->made = true;
    if (attempt->error.status != 0) {
        *error = attempt->error;
        return error->status;
    }
    *device = &cuda->device;
    return cuda_make_current(cuda, error);
}

int devices_find(const struct context *context, uint32_t memory, int32_t ordinal, struct device **device,
                 struct engine_error *error)
{
    *device = NULL;
    if (memory == ENGINE_CUDA_MEMORY)
        return find_cuda(context->devices, ordinal, device, error);
    *device = devices_host(context);
    return 0;
}
