/* Memory that implementations compute in, and the operations of the core on it, as one table of functions. Each kind of
 * memory has a file. What devices do together for the parts of a run is in parts/sharing.h.
 *
 * A device with a stream enqueues its work there; one without a stream, as the host, does it before a function returns.
 *
 * The core holds addresses of device memory but never reads through them. */
#ifndef CORE_MEMORY_DEVICE_H
#define CORE_MEMORY_DEVICE_H

#include "base/error.h"
#include "base/thread_pool.h"
#include "memory/layout.h"
#include "memory/region.h"

struct hash;

struct device {
    uint32_t memory;          /* ENGINE_HOST_MEMORY … */
    void *stream;             /* the stream on which calls are enqueued; host: NULL */
    struct thread_pool *pool; /* host: the threads of the context; other memory: NULL */
    char name[128];           /* by its manufacturer */
    uint64_t bytes;           /* of memory, free or not */

    /* The most bytes that it reads and writes and the most operations that it makes in a second, as its driver declares
     * them; 0: not declared. */
    double byte_rate, operation_rate;

    /* Makes the device current in the calling thread, as the functions of plugins expect it. */
    int (*use)(struct device *device, struct engine_error *error);

    /* Allocates cleared memory. Host memory is aligned to 4096 bytes; from 2 MiB on it is aligned to 2 MiB, and in huge
     * pages where the system has them. Device memory is aligned to 256 bytes. `release` takes the same size.
     * ENGINE_STATUS_DEVICE. */
    int (*allocate)(struct device *device, uint64_t bytes, void **memory, struct engine_error *error);
    void (*release)(struct device *device, void *memory, uint64_t bytes);

    /* Copies elements [begin, begin + count) of the canonical array out of a buffer of that geometry, or into it. */
    int (*read)(struct device *device, const struct geometry *geometry, const void *buffer, uint64_t begin,
                uint64_t count, void *canonical, struct engine_error *error);
    int (*write)(struct device *device, const struct geometry *geometry, void *buffer, uint64_t begin, uint64_t count,
                 const void *canonical, struct engine_error *error);

    /* Makes rows [row, row + rows) of a region of the field that the buffer holds, and copies them to `out`. The cells
     * of the region are read where they are. The host works with `threads` threads. */
    int (*make_rows)(struct device *device, const struct geometry *geometry, const void *buffer,
                     const struct region *region, uint64_t row, uint64_t rows, uint32_t threads, void *out,
                     struct engine_error *error);

    /* Adds elements [begin, begin + count) of the canonical array to a hash, where the buffer is. It adds nothing if
     * reading them is faster, or if one of them is not among `values` (0: all are). NULL: it never adds. */
    int (*hash)(struct device *device, const struct geometry *geometry, const void *buffer, uint64_t begin,
                uint64_t count, uint32_t values, struct hash *chain, struct engine_error *error);

    /* Allocates host memory that the device copies to and from at its full speed, not cleared. ENGINE_STATUS_DEVICE. */
    int (*allocate_host)(struct device *device, uint64_t bytes, void **memory, struct engine_error *error);
    void (*release_host)(struct device *device, void *memory);

    /* Copy bytes of a buffer, in its own layout, to host memory or back. The host copies with `threads` threads; a device
     * only enqueues the copy. */
    int (*download)(struct device *device, void *host, const void *buffer, uint64_t bytes, uint32_t threads,
                    struct engine_error *error);
    int (*upload)(struct device *device, void *buffer, const void *host, uint64_t bytes, uint32_t threads,
                  struct engine_error *error);

    /* Copies host memory to a buffer by way of `stage`, memory of the device. The copy to `stage` is made beside the work
     * that was enqueued before, which must not use it; the copy to the buffer, after this work. NULL where a device has no
     * stream, and so nothing to work beside. */
    int (*upload_beside)(struct device *device, void *buffer, void *stage, const void *host, uint64_t bytes,
                         struct engine_error *error);

    /* Fills the ghosts of a buffer. The host does it with `threads` threads; a device only enqueues the work. */
    int (*wrap)(struct device *device, const struct geometry *geometry, void *buffer, uint32_t threads,
                struct engine_error *error);

    /* Waits for all enqueued work, and reports its errors. */
    int (*synchronise)(struct device *device, struct engine_error *error);

    /* Waits for all work that was enqueued on another stream, which the caller of the library owns. */
    int (*wait)(struct device *device, void *stream, struct engine_error *error);

    /* Work that is enqueued between record_begin and record_end is not done, but kept as *recording. replay enqueues it
     * as a whole, any number of times; forget frees it. The work of other devices that follow
     * this one belongs to the recording, if this one follows them before record_end. NULL where a device has no stream,
     * and so nothing to record. */
    int (*record_begin)(struct device *device, struct engine_error *error);
    int (*record_end)(struct device *device, void **recording, struct engine_error *error);
    int (*replay)(struct device *device, void *recording, struct engine_error *error);
    void (*forget)(struct device *device, void *recording);
};

#endif
