/* The first state from a pattern file: cells placed somewhere on the grid. */
#ifndef CORE_RUN_INIT_PATTERN_H
#define CORE_RUN_INIT_PATTERN_H

#include "run/state.h"

/* Fills a fresh state. ENGINE_STATUS_INPUT. */
int init_pattern(struct state *state, struct engine_error *error);

#endif
