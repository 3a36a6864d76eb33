/* The functions of engine.h that tell what work costs, and measure what a machine can do. */
#include "api/handles.h"
#include "cuda/device_cuda.h"
#include "memory/devices.h"
#include "parts/cost.h"
#include "parts/limits.h"

#include <string.h>

void engine_run_cost(const struct engine_run *run, struct engine_cost *cost)
{
    API_NUMBERS;
    struct engine_cost filled = {0};
    if (run->run->plan->impl)
        filled = cost_of_plan(run->run->plan);
    filled.size = cost->size;
    memcpy(cost, &filled, cost->size < sizeof filled ? cost->size : sizeof filled);
}

const char *engine_operation_name(uint32_t operation)
{
    return cost_operation(operation);
}

static int measure(struct device *device, uint32_t threads, struct engine_limits *limits, struct engine_error *error)
{
    return device->memory == ENGINE_CUDA_MEMORY ? cuda_limits(device, limits, error)
                                                : host_limits(threads, limits, error);
}

int engine_machine_limits(struct engine_context *context, uint32_t memory, int32_t number, uint32_t threads,
                          struct engine_limits *limits, struct engine_error *error)
{
    API_NUMBERS;
    struct engine_limits filled = {.size = limits->size};
    struct device *device;
    if (devices_find(&context->context, memory, number, &device, error) != 0 ||
        (threads > 0 && measure(device, threads, &filled, error) != 0))
        return error->status;
    filled.device = device->name;
    memcpy(limits, &filled, limits->size < sizeof filled ? limits->size : sizeof filled);
    return 0;
}
