/* The kinds of carriers (parts/carrier.h), and what each does. */
#ifndef LIB_PARTS_CARRIER_KIND_H
#define LIB_PARTS_CARRIER_KIND_H

#include "parts/communicator.h"

struct carrier {
    const struct carrier_kind *kind;
    struct communicator comm;
    uint32_t phase; /* of the next exchange, 0 or 1 */
};

struct carrier_kind {
    const char *name;
    uint32_t phases;

    int (*exchange)(struct carrier *carrier, const struct transfer *list, uint32_t count, struct engine_error *error);
    int (*sums)(struct carrier *carrier, uint64_t *array, uint64_t count, struct engine_error *error); /* or NULL */

    /* Returns an error that the device has met, and ends what waits on the device for other processes. */
    int (*check)(struct carrier *carrier, struct engine_error *error);
    void (*stop)(struct carrier *carrier);
    void (*close)(struct carrier *carrier);
};

int peer_open(const struct communicator *comm, const struct transfer *largest, uint32_t count, struct carrier **carrier,
              struct engine_error *error);
int nccl_open(const struct communicator *comm, const struct transfer *largest, uint32_t count, struct carrier **carrier,
              struct engine_error *error);

#endif
