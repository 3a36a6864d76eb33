#include "memory/allocate.h"

int memory_allocate(const struct context *context, struct device *device, uint64_t bytes, void **memory,
                    struct engine_error *error)
{
    return context_memory(context) ? context->memory->allocate(context, device, bytes, memory, error)
                                   : device->allocate(device, bytes, memory, error);
}

void memory_release(const struct context *context, struct device *device, void *memory, uint64_t bytes)
{
    if (context_memory(context))
        context->memory->release(context, device, memory, bytes);
    else
        device->release(device, memory, bytes);
}
