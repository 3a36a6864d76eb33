/* The communicator of a run: its processes, as far as a device transport needs to know them (parts/device_transport.h),
 * and what all of them do together. */
#ifndef LIB_PARTS_COMMUNICATOR_H
#define LIB_PARTS_COMMUNICATOR_H

#include "memory/device.h"
#include "parts/link.h"

#include <stdbool.h>

/* Bytes of a device that this process sends, or a place where it receives bytes. Both processes of a transfer have the
 * transfers between them in the same order, with the same sizes. */
struct transfer {
    void *at;
    uint64_t bytes;
    uint32_t other; /* process */
    bool sends;
    bool host; /* it lies in host memory, whatever the device is; no device transport takes it */
};

/* What a process knows of the processes of its run. */
struct communicator {
    struct link *link;
    struct device *device;
    double patience;      /* of this process, in seconds */
    uint32_t rank, count; /* of the processes of the run */
};

/* Tells all processes whether this one has succeeded, `status`, and returns the error of the lowest that has not. */
int communicator_agree(const struct communicator *comm, int status, struct engine_error *error);

/* Sends `bytes` of `own` to all processes, and receives theirs into `all`, one after the other. */
int communicator_all_gather(const struct communicator *comm, const void *own, void *all, uint64_t bytes,
                            struct engine_error *error);

#endif
