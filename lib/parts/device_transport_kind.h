/* The kinds of device transports (parts/device_transport.h), and what each does. */
#ifndef LIB_PARTS_DEVICE_TRANSPORT_KIND_H
#define LIB_PARTS_DEVICE_TRANSPORT_KIND_H

#include "parts/communicator.h"

struct device_transport {
    const struct device_transport_kind *kind;
    struct communicator comm;
    uint32_t phase; /* of the next exchange, 0 or 1 */
};

struct device_transport_kind {
    const char *name;
    uint32_t phases;

    int (*exchange)(struct device_transport *transport, const struct transfer *list, uint32_t count,
                    struct engine_error *error);
    int (*all_reduce)(struct device_transport *transport, uint64_t *array, uint64_t count,
                      struct engine_error *error); /* or NULL */

    /* Begins or ends a time in which a call may wait for other processes without a limit, and returns whether such a
     * time was under way. If it gets longer than [run] patience, the waiting ends with an error. NULL: no call waits
     * like this. */
    bool (*watch)(struct device_transport *transport, bool begins);

    /* Returns an error that the device has met, and ends what waits on the device for other processes. */
    int (*check)(struct device_transport *transport, struct engine_error *error);
    void (*stop)(struct device_transport *transport);
    void (*close)(struct device_transport *transport);
};

int peer_open(const struct communicator *comm, const struct transfer *largest, uint32_t count,
              struct device_transport **transport, struct engine_error *error);
int nccl_open(const struct communicator *comm, const struct transfer *largest, uint32_t count,
              struct device_transport **transport, struct engine_error *error);

#endif
