/* The margins that a process sends to others, and receives from them, in an exchange (parts/exchange.h). */
#ifndef LIB_PARTS_PARCELS_H
#define LIB_PARTS_PARCELS_H

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

/* The parcels of one exchange, in the order of their messages. The memory stays for the next exchange. */
struct ranks_parcels {
    struct staging staging;     /* of the device of the parts */
    struct transfer *transfers; /* a piece for each array of rows or planes */
    uint32_t count, room;
    struct elements *elements;
};

/* Begins the list of the parcels of an exchange. ENGINE_STATUS_DEVICE. */
int parcels_begin(const struct state *state, struct engine_error *error);

/* Adds `count` rows or planes from `at` on of a part of this process to the list, for the other process and in the
 * direction of `transfer`: as they lie in memory if the cells of both parts are `alike`, otherwise as canonical
 * elements, `slab` for each row or plane. ENGINE_STATUS_DEVICE. */
int parcels_add(struct ranks_parcels *parcels, struct state *here, uint32_t field, uint64_t at, uint64_t count,
                bool alike, uint64_t slab, struct transfer transfer, struct engine_error *error);

/* Writes the elements that were received into the parts. */
int parcels_end(struct ranks_parcels *parcels, struct engine_error *error);

/* Frees what the exchanges have kept. */
void parcels_release(struct state *state);

#endif
