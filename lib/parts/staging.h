/* Messages with cells to other processes. Cells of a device go through host memory that the device copies fast. Cells
 * in host memory are sent from where they are. */
#ifndef LIB_PARTS_STAGING_H
#define LIB_PARTS_STAGING_H

#include "parts/communicator.h"

struct staging {
    struct device *device;
    char *memory; /* NULL: none yet; it stays for the next exchange */
    uint64_t bytes;
};

/* Makes the memory at least that large. ENGINE_STATUS_DEVICE. */
int staging_make_room(struct staging *staging, uint64_t bytes, struct engine_error *error);
void staging_release(struct staging *staging);

/* Sends and receives pieces. Two processes list the pieces between them in the same order. The device only enqueues the
 * copies of what was received. ENGINE_STATUS_DEVICE. */
int staging_exchange(struct staging *staging, struct link *link, double patience, const struct transfer *list,
                     uint32_t count, struct engine_error *error);

#endif
