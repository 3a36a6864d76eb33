/* The pieces of the canonical arrays of a state that are hashed: several threads reduce a piece each (base/hash.h). */
#ifndef CORE_RUN_HASH_PIECES_H
#define CORE_RUN_HASH_PIECES_H

#include "base/hash.h"
#include "run/state.h"

#include <stdatomic.h>

/* Bytes of a reduced piece, at most. */
enum { HASH_REDUCED = STATE_PIECE / (HASH_BLOCK / HASH_STRIPE) + HASH_EXCESS };

/* What a thread needs for a piece. */
struct hash_worker {
    uint8_t elements[STATE_PIECE], reduced[HASH_REDUCED];
    struct engine_error error;
};

struct hashing {
    const struct state *state;
    struct hash *chain; /* of what was hashed so far */
    uint64_t position;  /* in all hashed bytes: where the present field begins */
    uint32_t threads;
    struct hash_worker *workers; /* for each thread */
    struct engine_error *error;  /* the first one */
};

/* Elements [begin, end) of a field, in pieces of STATE_PIECE bytes. */
struct pieces {
    struct hashing *hashing;
    uint32_t field, bytes; /* of an element */
    uint64_t begin, end;
    _Atomic uint64_t next, added; /* the piece that is taken next; the pieces that are in the chain */
};

/* Calls a function for each field of these roles, with all of its elements. Inputs count if they have memory of their
 * own. Returns the status of hashing->error. */
int hashing_fields(struct hashing *hashing, uint32_t roles, void (*take)(struct pieces *pieces, void *user),
                   void *user);

/* The number of pieces, and the bytes of the first ones in all hashed bytes. */
uint64_t pieces_count(const struct pieces *pieces);
uint64_t pieces_place(const struct pieces *pieces, uint64_t index);
uint64_t pieces_bytes(const struct pieces *pieces, uint64_t index);

/* Reads and reduces a piece: some KiB at a time, which stay in the cache, if host memory is read and no element lies
 * across two blocks. */
void pieces_reduce(const struct pieces *pieces, uint64_t index, void *elements, uint8_t *reduced,
                   struct engine_error *error);

/* Reduces all pieces, on all threads, and adds them to the chain. */
void pieces_take(struct pieces *pieces);

#endif
