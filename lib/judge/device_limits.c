#include "judge/device_limits.h"

int device_limits_measure(struct device *device, uint32_t threads, struct device_limits *limits,
                          struct engine_error *error)
{
    return device->memory == ENGINE_CUDA_MEMORY ? cuda_limits(device, threads, limits, error)
                                                : host_limits(device, threads, limits, error);
}
