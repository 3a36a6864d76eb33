/* Calls of a plugin that are short enough: between two calls, requests to stop are heard and progress is shown. */
#ifndef CORE_RUN_PACE_H
#define CORE_RUN_PACE_H

#include "run/instance.h"

struct pace {
    struct instance *instance;
    uint64_t call_steps; /* the number of steps of the last call */
    double call_seconds; /* the time of the last call */
    bool started;        /* the last call may go on; it took call_steps steps up to the state's step */
    double clock;        /* when the call before was settled, if `started` */
};

/* Takes one call, which may go on when the function returns, and settles the one before: so a device has work while the
 * host takes the next frame. Only for an instance that overlaps. The time of a call begins where that of the one before
 * ended. */
int pace_start(struct pace *pace, uint64_t target, struct engine_error *error);

/* Waits for a call that pace_start has left going on. */
int pace_settle(struct pace *pace, struct engine_error *error);

/* Takes one call towards the step `target`, which is later than the state's, and waits for the device. After an error
 * of these functions state->lost says whether the state is lost. */
int pace_take(struct pace *pace, uint64_t target, struct engine_error *error);

#endif
