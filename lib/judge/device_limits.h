/* The limits of a device, measured. */
#ifndef LIB_JUDGE_DEVICE_LIMITS_H
#define LIB_JUDGE_DEVICE_LIMITS_H

#include "memory/device.h"

/* The highest rates; 0: not known. */
struct device_limits {
    double copy;  /* bytes per second, read and written, of a copy much larger than its caches */
    double logic; /* three-input logic operations per second on 32-bit words, as ENGINE_OPS_LOGIC counts them */
    double fma;   /* single-precision multiply-adds per second */
    double fma64; /* the same in double precision */
};

/* Measures them in about a second. The host computes with `threads` threads. ENGINE_STATUS_DEVICE. */
int device_limits_measure(struct device *device, uint32_t threads, struct device_limits *limits,
                          struct engine_error *error);

/* The same for each kind of memory: host_limits.c, cuda_limits.c. */
int host_limits(struct device *device, uint32_t threads, struct device_limits *limits, struct engine_error *error);
int cuda_limits(struct device *device, uint32_t threads, struct device_limits *limits, struct engine_error *error);

#endif
