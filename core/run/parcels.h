/* The margins that a process sends to others, and receives from them, in an exchange (run/exchange.h). */
#ifndef CORE_RUN_PARCELS_H
#define CORE_RUN_PARCELS_H

#include "run/state.h"

/* Cells on their way between processes: rows or planes as they lie in memory or, where the two parts order their cells
 * in different ways, canonical elements. */
struct parcel {
    struct state *here; /* the part of this process, which sends or receives them */
    bool sends, alike;
    uint32_t field, other; /* process */
    uint64_t at, count;    /* rows or planes of `here` */
    uint64_t begin, bytes; /* in the memory of all parcels */
};

/* The parcels of one exchange, in the order of their messages, and host memory for them that the device of the parts
 * copies fast. Both stay for the next exchange. */
struct ranks_parcels {
    struct device *device;
    char *memory;
    uint64_t bytes, memory_bytes;
    struct parcel *list;
    uint64_t count, room;
    struct cargo *cargo; /* the same for a carrier: a piece for each array of a parcel */
    uint64_t cargo_room;
};

/* Begins the list of the parcels of an exchange. ENGINE_STATUS_DEVICE. */
int parcels_begin(const struct state *state, struct engine_error *error);

/* Adds a parcel to the list. NULL: there is no memory. */
struct parcel *parcels_add(struct ranks_parcels *parcels, struct engine_error *error);

/* Frees what the exchanges have kept. */
void parcels_release(struct state *state);

/* Makes host memory for all parcels. ENGINE_STATUS_DEVICE. */
int parcels_make_memory(struct ranks_parcels *parcels, struct engine_error *error);

/* Copies the rows or planes of a parcel out of the part into host memory, or back. A device only enqueues the
 * copies. */
int parcel_copy_slabs(const struct parcel *parcel, char *memory, struct engine_error *error);

/* Makes parcels->cargo, `count` pieces, of parcels that are alike. ENGINE_STATUS_DEVICE. */
int parcels_make_cargo(struct ranks_parcels *parcels, uint32_t *count, struct engine_error *error);

#endif
