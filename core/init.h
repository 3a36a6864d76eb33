/* The first state: a pattern file, random cells, one array a field, or a generator of the plugin. */
#ifndef CORE_INIT_H
#define CORE_INIT_H

#include "state.h"

/* Fills a fresh state as the plan's [init] says. Reads the plan's pattern, which can be done once. */
int init_state(struct state *state, struct error *error);

/* Goes on to the next frame of the plan's files: their fields, and the box. There must be one. */
int init_next_frame(struct state *state, struct error *error);

#endif
