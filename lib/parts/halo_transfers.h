/* The transfers of a halo exchange (parts/halo_exchange.h): the rows or planes that this process sends or receives. */
#ifndef LIB_PARTS_HALO_TRANSFERS_H
#define LIB_PARTS_HALO_TRANSFERS_H

#include "parts/staging.h"
#include "run/state.h"

/* Canonical elements on their way, where two parts order their cells in different ways. */
struct elements {
    struct elements *next;
    struct state *here; /* the part of this process, which sends or receives them */
    bool sends;
    uint32_t field;
    uint64_t begin, count;
    uint8_t memory[];
};

/* The transfers of one exchange, in the order of their messages. The memory stays for the next exchange. */
struct halo_transfers {
    struct staging staging;     /* of the device of the parts */
    struct transfer *transfers; /* a piece for each array of rows or planes */
    uint32_t count, room;
    struct elements *elements;
};

/* Begins the list of the transfers of an exchange. ENGINE_STATUS_DEVICE. */
int halo_transfers_begin(const struct state *state, struct engine_error *error);

/* Adds `count` rows or planes from `at` on of a part of this process to the list, for the other process and in the
 * direction of `transfer`: as they lie in memory if the cells of both parts are `alike`, otherwise as canonical
 * elements, `slab` for each row or plane. ENGINE_STATUS_DEVICE. */
int halo_transfers_add(struct halo_transfers *halo, struct state *here, uint32_t field, uint64_t at, uint64_t count,
                       bool alike, uint64_t slab, struct transfer transfer, struct engine_error *error);

/* Writes the elements that were received into the parts. */
int halo_transfers_end(struct halo_transfers *halo, struct engine_error *error);

/* Frees what the exchanges have kept. */
void halo_transfers_release(struct state *state);

#endif
