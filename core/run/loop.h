/* The step loop: takes steps, and lets observers see the states that they ask for. */
#ifndef CORE_RUN_LOOP_H
#define CORE_RUN_LOOP_H

#include "run/observer.h"

struct loop_result {
    uint64_t first;    /* the step from which the run started; set by the caller */
    uint64_t steps;    /* the number of steps taken */
    double seconds;    /* the time of the steps with their ghost cells, without the observers */
    const char *ended; /* the condition that ended the run, and what was found; NULL: none */
    int signal;        /* the reason from the context's stop hook that stopped the run; SIGALRM: an observer; 0: none */
};

/* Takes the plan's steps. The observers see the first state, those that are due, and the final one. If the context or
 * an observer asks the run to stop, it stops after the present call. */
int loop_run(struct instance *instance, const struct observers *observers, struct loop_result *result,
             struct engine_error *error);

/* Takes `steps` steps; the observers see the states that are due. Returns early if the context asks the run to stop.
 * ENGINE_STATUS_USAGE, besides the errors of the plugin: so many steps cannot be counted. */
int loop_advance(struct instance *instance, const struct observers *observers, uint64_t steps,
                 struct engine_error *error);

/* Checks that the state can take so many more steps. ENGINE_STATUS_USAGE: they cannot be counted. */
int loop_check_steps(const struct state *state, uint64_t steps, struct engine_error *error);

#endif
