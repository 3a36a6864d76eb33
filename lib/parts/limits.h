/* The limits of the host, measured. */
#ifndef LIB_PARTS_LIMITS_H
#define LIB_PARTS_LIMITS_H

#include "memory/device.h"

/* Measures them with `threads` threads, in about a second of their time: a busy machine has the same limits. If it is
 * very busy, they are less accurate. ENGINE_STATUS_DEVICE. */
int host_limits(uint32_t threads, struct engine_limits *limits, struct engine_error *error);

#endif
