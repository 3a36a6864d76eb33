#include "memory/allocate.h"

int memory_allocate(const struct context *context, struct device *device, uint64_t bytes, void **memory,
                    struct engine_error *error)
{
    const struct memory_hooks *hooks = context ? context->memory : NULL;
    return hooks ? hooks->allocate(hooks->user, device, bytes, memory, error)
                 : device->allocate(device, bytes, memory, error);
}

void memory_release(const struct context *context, struct device *device, void *memory, uint64_t bytes)
{
    const struct memory_hooks *hooks = context ? context->memory : NULL;
    if (hooks)
        hooks->release(hooks->user, device, memory, bytes);
    else
        device->release(device, memory, bytes);
}
