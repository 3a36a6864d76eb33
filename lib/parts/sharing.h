/* What the devices of a divided run do together. Devices of one process copy from each other. Devices of several
 * processes on one host share memory and wait for each other. */
#ifndef LIB_PARTS_SHARING_H
#define LIB_PARTS_SHARING_H

#include "memory/device.h"

/* What another process of the host needs to open memory of a device. */
struct device_handle {
    uint8_t name[64];
    uint64_t offset, bytes; /* of the memory, within the allocation that `name` names */
};

/* A copy between addresses that the device reaches. */
struct device_copy {
    void *to;
    const void *from;
    uint64_t bytes;
};

enum { BARRIER_MOST = 32 };

/* A barrier between processes that share memory. Each process counts its rounds, and stores its number in the memory of
 * the others. It passes when all others have stored at least the same number in its memory. */
struct barrier {
    uint64_t *round;                   /* the own number, in memory of the device */
    uint32_t count;                    /* of the other processes */
    uint64_t *theirs[BARRIER_MOST];    /* in their memory: where they read the own number */
    const uint64_t *own[BARRIER_MOST]; /* in the own memory: their numbers */
    uint32_t *stop;                    /* in memory of allocate_host: not 0 ends the wait after an error. A device that
                                        has waited for `limit` nanoseconds stores 1 + the index in `own` of the process
                                        for which it waits */
    uint64_t limit;
};

/* All devices that one call names are of the kind of `device`. */
struct sharing {
    /* Copies bytes from a buffer of `source`. A device only enqueues the copy; the caller ensures the order with the
     * work of `source`. */
    int (*fetch)(struct device *device, void *to, struct device *source, const void *from, uint64_t bytes,
                 struct engine_error *error);

    /* Can this device read the memory of `source` directly? Otherwise `fetch` cannot be recorded. */
    bool (*reaches)(struct device *device, struct device *source);

    /* Sets elements [begin, end) of all arrays to their sums, modulo 2^64. Array i is in the memory of owners[i]. A
     * device only enqueues the work, and refuses arrays that it does not reach. */
    int (*add_up)(struct device *device, struct device *const *owners, uint64_t *const *arrays, uint32_t count,
                  uint64_t begin, uint64_t end, struct engine_error *error);

    /* Work that is enqueued after this call waits for the work that is already enqueued on `other`. */
    int (*follow)(struct device *device, struct device *other, struct engine_error *error);

    /* Writes a text that identifies the device among all devices of the host; "" if processes may share it. */
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

    /* Tells the others the next round. A GPU enqueues this, and then a wait for them. The host does not wait. */
    int (*pass_barrier)(struct device *device, const struct barrier *barrier, struct engine_error *error);

    /* Is all enqueued work done? ENGINE_STATUS_DEVICE: it has failed. */
    int (*is_done)(struct device *device, bool *done, struct engine_error *error);
};

extern const struct sharing host_sharing, cuda_sharing; /* host_share.c, cuda_share.c */

/* The functions for a device's kind of memory. */
const struct sharing *sharing_of(const struct device *device);

#endif
