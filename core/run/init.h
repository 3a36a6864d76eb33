/* The initial state: a pattern file, random cells, one array for each field, or a generator of the plugin. */
#ifndef CORE_RUN_INIT_H
#define CORE_RUN_INIT_H

#include "run/state.h"

/* Fills a fresh state as [init] of the plan says. It may be called once, because it reads the plan's pattern file to
 * its end. */
int init_state(struct state *state, struct engine_error *error);

/* Gives the plan the box of a frame; NULL: the files have none. */
int init_change_box(struct state *state, const double *box, struct engine_error *error);

/* Reads the frame that comes `by` frames later in the plan's files: their fields and the box. The frame must exist. */
int init_next_frame(struct state *state, uint64_t by, struct engine_error *error);

#endif
