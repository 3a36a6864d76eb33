/* The pieces of the canonical arrays of a state that are hashed: several threads reduce a piece each (base/hash.h). */
#ifndef CORE_RUN_HASH_PIECES_H
#define CORE_RUN_HASH_PIECES_H

#include "base/hash.h"
#include "run/state.h"

/* Bytes of a reduced piece, at most. */
enum { HASH_REDUCED = STATE_PIECE / (HASH_BLOCK / HASH_STRIPE) + HASH_EXCESS };

struct hashing {
    const struct state *state;
    struct hash *chain; /* of what was hashed so far */
    uint64_t position;  /* in all hashed bytes: where the present field begins */
    uint32_t threads;
    uint8_t *elements; /* a piece for each thread */
    uint8_t *reduced;  /* `room` pieces, at least one for each thread */
    uint64_t room;
    struct engine_error *errors; /* of each thread */
    struct engine_error *error;  /* the first one */
};

/* Elements [begin, end) of a field, in pieces of STATE_PIECE bytes. */
struct pieces {
    struct hashing *hashing;
    uint32_t field, bytes; /* of an element */
    uint64_t begin, end;
    uint8_t *reduced; /* those that are reduced at the same time */
};

/* ENGINE_STATUS_DEVICE: there is no memory. The caller calls hashing_close, also after an error. */
int hashing_open(struct hashing *hashing, const struct state *state, uint32_t threads, uint64_t room,
                 struct hash *chain, struct engine_error *error);
void hashing_close(struct hashing *hashing);

/* Calls a function for each field of these roles, with all of its elements. Inputs count if they have memory of their
 * own. Returns the status of hashing->error. */
int hashing_fields(struct hashing *hashing, uint32_t roles, void (*take)(struct pieces *pieces, void *user),
                   void *user);

/* The number of pieces, and the bytes of the first ones in all hashed bytes. */
uint64_t pieces_count(const struct pieces *pieces);
uint64_t pieces_place(const struct pieces *pieces, uint64_t index);
uint64_t pieces_bytes(const struct pieces *pieces, uint64_t index);

/* Reads and reduces the first `count` pieces at the same time, at most one for each thread. */
void pieces_reduce(struct pieces *pieces, uint64_t count);

/* Adds them to the chain. */
void pieces_add(const struct pieces *pieces, uint64_t count);

/* Drops them: begin moves on. */
void pieces_skip(struct pieces *pieces, uint64_t count);

#endif
