/* Observers see the states of a run while the loop takes steps: the conditions that end it, the analysis, the outputs,
 * the checkpoints. The loop knows them by this table alone, and calls them in the order of the list. */
#ifndef CORE_RUN_OBSERVER_H
#define CORE_RUN_OBSERVER_H

#include "run/pace.h"

#include <stdbool.h>

/* The moments at which an observer sees the state. */
enum moment {
    MOMENT_START,  /* before the first step */
    MOMENT_DUE,    /* at a step that some observer asked for, or when one is urgent */
    MOMENT_END,    /* after the last step */
    MOMENT_FINAL,  /* after MOMENT_END of all observers: the final state */
    MOMENT_CLOSE,  /* after MOMENT_FINAL of all observers */
    MOMENT_STOPPED /* the caller stops the run before its last step */
};

struct loop_view {
    struct pace *pace;
    bool (*stopped)(void *loop);
    void *loop;
};

/* A function that an observer does not need is NULL. */
struct observer {
    void *self;
    /* The next step after the present one at which the observer wants to see the state; UINT64_MAX: none. */
    uint64_t (*next)(void *self);
    /* Sees the state of the present step. */
    int (*see)(void *self, enum moment moment, const struct loop_view *view, struct engine_error *error);
    /* After each call of the plugin: completes work that other threads have finished, without waiting. */
    int (*settle)(void *self, struct engine_error *error);
    /* After each call: does the observer want to see the state although no step is due? Must the run stop, because the
     * last call took so many seconds? */
    bool (*is_urgent)(void *self);
    bool (*must_stop)(void *self, double call_seconds);
    /* Why the run ends at the present step, or NULL. */
    const char *(*ended)(void *self);
};

enum { OBSERVERS_MAX = 8 };

struct observers {
    uint32_t count;
    struct observer at[OBSERVERS_MAX];
};

#endif
