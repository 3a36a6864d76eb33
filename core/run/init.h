/* The first state: a pattern file, random cells, one array a field, or a generator of the plugin. */
#ifndef CORE_RUN_INIT_H
#define CORE_RUN_INIT_H

#include "run/state.h"

/* Fills a fresh state as the plan's [init] says. Reads the plan's pattern, which can be done once. */
int init_state(struct state *state, struct engine_error *error);

/* Goes on by so many frames in the plan's files: their fields, and the box. They must be there. */
int init_next_frame(struct state *state, uint64_t by, struct engine_error *error);

#endif
