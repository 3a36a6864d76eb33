/* The hash of a state. */
#ifndef CORE_RUN_STATE_HASH_H
#define CORE_RUN_STATE_HASH_H

#include "base/hash.h"
#include "run/state.h"

/* Which fields are hashed: bits 1 << ENGINE_STATE, …. Inputs count if they have memory of their own. */
enum {
    HASH_INPUTS = 1 << ENGINE_INPUT,
    HASH_STATES = 1 << ENGINE_STATE,
    HASH_RESULTS = HASH_STATES | 1 << ENGINE_OUTPUT
};

/* The hash of a state, usually of HASH_RESULTS: XXH3-128 of the canonical arrays of the fields, in the plugin's order, as
 * 32 hexadecimal digits. For one field it is what `xxh128sum` prints for the array's bytes. */
int state_hash(const struct state *state, uint32_t roles, char text[HASH_TEXT], struct engine_error *error);

/* Adds these arrays to a hash: where the cells are if a device has them in one buffer, else as they are read. */
int state_hash_here(const struct state *state, uint32_t roles, struct hash *chain, struct engine_error *error);

#endif
