/* The hash of a state. */
#ifndef CORE_RUN_STATE_HASH_H
#define CORE_RUN_STATE_HASH_H

#include "base/hash.h"
#include "run/state.h"

/* The hash of the state: XXH3-128 of the canonical arrays of all states and outputs, in the plugin's order, as 32
 * hexadecimal digits. For one field it is what `xxh128sum` prints for the array's bytes. */
int state_hash(const struct state *state, char text[HASH_TEXT], struct engine_error *error);

/* The same hash of the states alone, which decide the steps that follow. */
int state_hash_states(const struct state *state, char text[HASH_TEXT], struct engine_error *error);

/* The same hash of the inputs that have memory of their own. */
int state_hash_inputs(const struct state *state, char text[HASH_TEXT], struct engine_error *error);

#endif
