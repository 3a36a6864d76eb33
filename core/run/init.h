/* The initial state: random cells, a generator of the plugin, or what the source of the plan has (plan/source.h). */
#ifndef CORE_RUN_INIT_H
#define CORE_RUN_INIT_H

#include "run/state.h"

/* Fills a fresh state as [init] of the plan says. It may be called once, because a source
 * may read its files to their end. */
int init_state(struct state *state, struct engine_error *error);

#endif
