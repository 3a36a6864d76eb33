/* The host's memory as a device. */
#ifndef CORE_MEMORY_DEVICE_HOST_H
#define CORE_MEMORY_DEVICE_HOST_H

#include "memory/device.h"

/* Fills in the host's device, and makes its thread pool. ENGINE_STATUS_DEVICE: no memory. */
int host_open(struct device *device, struct engine_error *error);

/* Ends the threads of its thread pool. */
void host_close(struct device *device);

#endif
