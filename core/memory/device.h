/* Memory that implementations compute in, and the operations of the core on it, as one table of functions. Each kind of
 * memory has a file.
 *
 * The core holds addresses of device memory but never reads through them. */
#ifndef CORE_MEMORY_DEVICE_H
#define CORE_MEMORY_DEVICE_H

#include "base/error.h"
#include "base/team.h"
#include "memory/gate.h"
#include "memory/layout.h"
#include "memory/region.h"

/* The highest rates of a device, measured; 0: not known. */
struct device_limits {
    double copy;  /* bytes per second, read and written, of a copy much larger than its caches */
    double logic; /* three-input logic operations per second on 32-bit words, as ENGINE_OPS_LOGIC counts them */
    double fma;   /* single-precision multiply-adds per second */
    double fma64; /* the same in double precision */
};

/* What another process of the host needs to open memory of a device. */
struct device_handle {
    uint8_t name[64];
    uint64_t offset, bytes; /* of the memory in what `name` names */
};

/* A copy between addresses that the device reaches. */
struct device_copy {
    void *to;
    const void *from;
    uint64_t bytes;
};

struct device {
    uint32_t memory;   /* ENGINE_HOST_MEMORY … */
    void *stream;      /* the stream on which calls are enqueued; host: NULL */
    struct team *team; /* host: the threads of the context; other memory: NULL */
    char name[128];    /* by its manufacturer */
    uint64_t bytes;    /* of memory, free or not */

    /* Makes the device current in the calling thread, as the functions of plugins expect it. */
    int (*use)(struct device *device, struct engine_error *error);

    /* Returns the bytes of free memory; UINT64_MAX: not known. */
    uint64_t (*available)(struct device *device);

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

    /* Copy bytes of a buffer, in its own layout, to host memory or back. They wait for work that was enqueued before.
     * The host copies with `threads` threads. */
    int (*copy_out)(struct device *device, const void *buffer, uint64_t bytes, void *host, uint32_t threads,
                    struct engine_error *error);
    int (*copy_in)(struct device *device, void *buffer, uint64_t bytes, const void *host, uint32_t threads,
                   struct engine_error *error);

    /* Allocates host memory that the device copies to and from at its full speed, not cleared. ENGINE_STATUS_DEVICE. */
    int (*allocate_host)(struct device *device, uint64_t bytes, void **memory, struct engine_error *error);
    void (*release_host)(struct device *device, void *memory);

    /* Copy bytes of a buffer to such memory, or back. A device only enqueues the copy. */
    int (*download)(struct device *device, void *host, const void *buffer, uint64_t bytes, struct engine_error *error);
    int (*upload)(struct device *device, void *buffer, const void *host, uint64_t bytes, struct engine_error *error);

    /* The same as upload, beside the work that was enqueued before, which must not use `memory`. Work that is enqueued
     * from now on waits for the copy. NULL where a device has no streams. */
    int (*upload_beside)(struct device *device, void *memory, const void *host, uint64_t bytes,
                         struct engine_error *error);

    /* Fills the ghosts of a buffer. The host does it with `threads` threads; a device only enqueues the work. */
    int (*wrap)(struct device *device, const struct geometry *geometry, void *buffer, uint32_t threads,
                struct engine_error *error);

    /* Copies bytes from a buffer of `source`, a device of the same kind. A device only enqueues the copy; the caller
     * sees to the order of what is enqueued on `source`. */
    int (*fetch)(struct device *device, void *to, struct device *source, const void *from, uint64_t bytes,
                 struct engine_error *error);

    /* Can this device read the memory of `source` directly? Otherwise `fetch` cannot be recorded. */
    bool (*reaches)(struct device *device, struct device *source);

    /* Sets elements [begin, end) of all arrays to their sums, modulo 2^64. Array i is in the memory of owners[i], a
     * device of the same kind. A device only enqueues the work, and refuses arrays that it does not reach. */
    int (*add_up)(struct device *device, struct device *const *owners, uint64_t *const *arrays, uint32_t count,
                  uint64_t begin, uint64_t end, struct engine_error *error);

    /* What is enqueued from now on waits for what has been enqueued on `other`, a device of the same kind, so far. */
    int (*follow)(struct device *device, struct device *other, struct engine_error *error);

    /* Waits for all enqueued work, and reports its errors. */
    int (*synchronise)(struct device *device, struct engine_error *error);

    /* Waits for all work that was enqueued on another stream, which the caller of the library owns. NULL where a device
     * has no streams. */
    int (*wait)(struct device *device, void *stream, struct engine_error *error);

    /* Work that is enqueued between record_begin and record_end is not done, but kept as *recording. replay enqueues it
     * as a whole, any number of times; forget frees it. NULL where a device cannot record. The work of other devices
     * that follow this one belongs to the recording, if this one follows them before record_end. */
    int (*record_begin)(struct device *device, struct engine_error *error);
    int (*record_end)(struct device *device, void **recording, struct engine_error *error);
    int (*replay)(struct device *device, void *recording, struct engine_error *error);
    void (*forget)(struct device *device, void *recording);

    /* Writes what tells the device from all others of the host, as text; "" where processes may share it. */
    void (*identify)(struct device *device, char text[40]);

    /* Allocates cleared memory that other processes of the host can attach: they read and write it as their own.
     * ENGINE_STATUS_DEVICE, also where the system does not allow it. The others detach it before it is released. */
    int (*share)(struct device *device, uint64_t bytes, void **memory, struct device_handle *handle,
                 struct engine_error *error);
    void (*unshare)(struct device *device, const struct device_handle *handle, void *memory);
    int (*attach)(struct device *device, const struct device_handle *handle, void **memory, struct engine_error *error);
    void (*detach)(struct device *device, const struct device_handle *handle, void *memory);

    /* Makes copies, also into memory that was attached. A device only enqueues them. */
    int (*put)(struct device *device, const struct device_copy *copies, uint32_t count, struct engine_error *error);

    /* Tells the others the next round. A device enqueues this and waits for them; `is_open` is NULL. The host returns
     * at once, and is_open tells whether it may go on. */
    int (*meet)(struct device *device, const struct gate *gate, struct engine_error *error);
    bool (*is_open)(const struct gate *gate);

    /* Is all enqueued work done? ENGINE_STATUS_DEVICE: it has failed. */
    int (*is_done)(struct device *device, bool *done, struct engine_error *error);

    /* Measures the limits in about a second. The host computes with `threads` threads. NULL where a device has no such
     * function. */
    int (*limits)(struct device *device, uint32_t threads, struct device_limits *limits, struct engine_error *error);
};

#endif
