/* The limits of the host, measured. */
#ifndef LIB_PARTS_LIMITS_H
#define LIB_PARTS_LIMITS_H

#include "memory/device.h"

/* Measures them with `threads` threads, in about a second. `device` is the host. ENGINE_STATUS_DEVICE. */
int host_limits(struct device *device, uint32_t threads, struct engine_limits *limits, struct engine_error *error);

#endif
