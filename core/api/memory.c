/* The hooks of engine.h that allocate memory, behind the hooks of memory/allocate.h. */
#include "api/handles.h"
#include "memory/device.h"

static int allocate(const struct engine_memory *memory, uint64_t bytes, void **address, struct engine_error *error)
{
    struct device *device = memory->self;
    return device->allocate(device, bytes, address, error);
}

static void release(const struct engine_memory *memory, void *address, uint64_t bytes)
{
    struct device *device = memory->self;
    device->release(device, address, bytes);
}

static int read(const struct engine_memory *memory, const void *address, uint64_t bytes, void *out,
                struct engine_error *error)
{
    struct device *device = memory->self;
    return device->download(device, out, address, bytes, 1, error) != 0 ? error->status
                                                                        : device->synchronise(device, error);
}

static int write(const struct engine_memory *memory, void *address, uint64_t bytes, const void *in,
                 struct engine_error *error)
{
    struct device *device = memory->self;
    return device->upload(device, address, in, bytes, 1, error) != 0 ? error->status
                                                                     : device->synchronise(device, error);
}

static struct engine_memory memory_of(struct device *device)
{
    return (struct engine_memory){sizeof(struct engine_memory), device->memory, device, allocate, release, read, write};
}

static int allocate_given(const struct context *context, struct device *device, uint64_t bytes, void **address,
                          struct engine_error *error)
{
    const struct engine_memory memory = memory_of(device);
    struct engine_error why = {ENGINE_STATUS_DEVICE, "the hook allocate failed without a sentence"};
    if (context->hooks.allocate(context->hooks.user, &memory, bytes, address, &why) == 0)
        return 0;
    return error_set(error, ENGINE_STATUS_DEVICE, "%s", why.text);
}

static void release_given(const struct context *context, struct device *device, void *address, uint64_t bytes)
{
    const struct engine_memory memory = memory_of(device);
    context->hooks.release(context->hooks.user, &memory, address, bytes);
}

const struct memory_hooks api_memory = {allocate_given, release_given};
