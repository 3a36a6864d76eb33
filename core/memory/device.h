/* Memory that implementations compute in, and the few things the core does with it: one small interface, a file a kind.
 *
 * Core code above this line holds addresses of device memory but never looks behind them. */
#ifndef CORE_MEMORY_DEVICE_H
#define CORE_MEMORY_DEVICE_H

#include "base/error.h"
#include "memory/layout.h"

/* What a device can do at most, measured; 0: not known. */
struct device_limits {
    double copy;  /* bytes a second read and written by a copy much larger than its caches */
    double logic; /* three-input logic operations a second on 32-bit words, as ENGINE_OPS_LOGIC counts them */
    double fma;   /* single-precision multiply-adds a second */
    double fma64; /* the same in double precision */
};

struct device {
    uint32_t memory; /* ENGINE_HOST_MEMORY … */
    void *stream;    /* what calls enqueue on; host: NULL */
    char name[128];  /* as its maker calls it */
    uint64_t bytes;  /* of memory, of which some may be taken */

    /* Bytes of memory that can still be had; UINT64_MAX: not known. */
    uint64_t (*available)(struct device *device);

    /* Memory, cleared. The host's is aligned to 4096 bytes, or to 2 MiB (and in huge pages, where the system has them)
     * from 2 MiB on; a device's to 256. ENGINE_STATUS_DEVICE. `release` takes the same size. */
    int (*allocate)(struct device *device, uint64_t bytes, void **memory, struct engine_error *error);
    void (*release)(struct device *device, void *memory, uint64_t bytes);

    /* Moves elements [begin, begin + count) of the canonical array out of, or into, a buffer of that geometry. */
    int (*read)(struct device *device, const struct geometry *geometry, const void *buffer, uint64_t begin,
                uint64_t count, void *canonical, struct engine_error *error);
    int (*write)(struct device *device, const struct geometry *geometry, void *buffer, uint64_t begin, uint64_t count,
                 const void *canonical, struct engine_error *error);

    /* Copies bytes of a buffer as they lie there to host memory, or back, on `threads` threads where the host does it;
     * waits for what was enqueued before. */
    int (*copy_out)(struct device *device, const void *buffer, uint64_t bytes, void *host, uint32_t threads,
                    struct engine_error *error);
    int (*copy_in)(struct device *device, void *buffer, uint64_t bytes, const void *host, uint32_t threads,
                   struct engine_error *error);

    /* Fills the ghosts of a buffer, on `threads` threads where the host does it; enqueues only, on a device. */
    int (*wrap)(struct device *device, const struct geometry *geometry, void *buffer, uint32_t threads,
                struct engine_error *error);

    /* Waits for what was enqueued, and reports what went wrong in it. */
    int (*synchronise)(struct device *device, struct engine_error *error);

    /* What is enqueued between record_begin and record_end is not done, but kept as *recording, which replay enqueues
     * as a whole, as often as wanted, and forget frees. NULL where there is no such thing. */
    int (*record_begin)(struct device *device, struct engine_error *error);
    int (*record_end)(struct device *device, void **recording, struct engine_error *error);
    int (*replay)(struct device *device, void *recording, struct engine_error *error);
    void (*forget)(struct device *device, void *recording);

    /* Measures its limits, on `threads` threads where the host computes, in about a second. NULL: nobody has written
     * that yet. */
    int (*limits)(struct device *device, uint32_t threads, struct device_limits *limits, struct engine_error *error);
};

#endif
