/* The first state from random numbers: the same cells for any number of threads and any implementation. */
#ifndef CORE_RUN_INIT_RANDOM_H
#define CORE_RUN_INIT_RANDOM_H

#include "run/state.h"

/* Fills a fresh state. */
int init_random(struct state *state, struct engine_error *error);

#endif
