/* The initial states of members. Members with consecutive seeds get theirs from one run, the universes of a batch. */
#ifndef LIB_ENSEMBLE_INITIAL_H
#define LIB_ENSEMBLE_INITIAL_H

#include "ensemble/ensemble.h"

struct initial;

/* `impl` is the implementation of the runs. It lives as long as the group of a member. ENGINE_STATUS_DEVICE. */
int initial_open(const struct ensemble *ensemble, struct engine_context *context, const char *impl,
                 struct initial **initial, struct engine_error *error);
void initial_close(struct initial *initial);

/* Writes the initial state of a member, its states and outputs, to `state`. The caller will ask for those of up to
 * `most` members from this one on. */
int initial_state(struct initial *initial, uint64_t member, uint32_t most, char *state, struct engine_error *error);

#endif
