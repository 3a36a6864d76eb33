/* Calls of a plugin that are short enough: between two calls, requests to stop are heard and progress is shown. */
#ifndef CORE_RUN_PACE_H
#define CORE_RUN_PACE_H

#include "run/instance.h"

struct pace {
    struct instance *instance;
    uint64_t call_steps; /* the number of steps of the last call */
    double call_seconds; /* the time of the last call */
};

/* Takes one call towards the step `target`, which is later than the state's, and waits for the device. After an error state->lost
 * says whether the state is lost. */
int pace_take(struct pace *pace, uint64_t target, struct engine_error *error);

#endif
