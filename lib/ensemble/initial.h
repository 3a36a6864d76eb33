/* The initial states of members. Members with consecutive seeds get theirs from one run, the universes of a batch. */
#ifndef LIB_ENSEMBLE_INITIAL_H
#define LIB_ENSEMBLE_INITIAL_H

#include "ensemble/ensemble.h"

struct initial;

/* `impl` is the implementation of the runs, and `most` the number of universes of one. It lives as long as the group of
 * a member. ENGINE_STATUS_DEVICE. */
int initial_open(const struct ensemble *ensemble, struct engine_context *context, uint32_t most, const char *impl,
                 struct initial **initial, struct engine_error *error);
void initial_close(struct initial *initial);

/* Writes the initial state of a member, its states and outputs, to `state`. */
int initial_state(struct initial *initial, uint64_t member, char *state, struct engine_error *error);

#endif
