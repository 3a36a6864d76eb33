/* What takes the steps of a state: a table of functions for each way to do so. run/instance.c calls the table and knows
 * no kind; run/open.c knows which state has which one. Steppers may stand on others: those of a divided run have one
 * for each part, and a recording or a run of several processes has one inside. */
#ifndef CORE_RUN_STEPPER_H
#define CORE_RUN_STEPPER_H

#include "plugin/host.h"
#include "run/state.h"

struct stepper {
    const struct stepper_table *table;
    struct state *state;
    bool unsettled; /* advance leaves `settle` to the caller, for as long as this is set */
};

/* Where a stepper is: what the launches of a call depend on, apart from the step. */
struct stepper_place {
    uint64_t buffers; /* that hold the present states: bit i for part i */
    uint32_t phase;   /* of what carries cells between processes */
};

/* What a recording of the launches of a call needs of the stepper that makes the call. */
struct stepper_recording {
    /* May its calls be recorded now? */
    bool (*possible)(const struct stepper *stepper);

    /* The launches of a step, and the number of steps of which recorded calls are multiples. All processes that share a
     * run return the same. */
    void (*size)(const struct stepper *stepper, uint64_t *launches, uint64_t *multiple);

    struct stepper_place (*place)(const struct stepper *stepper);
    void (*go)(struct stepper *stepper, struct stepper_place place);

    /* Lets the first device wait for the others (`before`), or the others for the first. NULL: there is one device. */
    int (*gather)(const struct stepper *stepper, bool before, struct engine_error *error);

    /* Takes part in what other processes still expect for so many steps, after an error of which they do not know. NULL:
     * there are no others. */
    void (*keep_up)(struct stepper *stepper, uint64_t steps);
};

/* Functions return 0 or a status, with its error. The state outlives its stepper. */
struct stepper_table {
    /* Calls the plugin's create, for a state at its first step or one that was changed from outside. After an error the
     * caller calls destroy. */
    int (*create)(struct stepper *stepper, struct engine_error *error);

    /* Undoes create, also after an error of create. create may follow. */
    void (*destroy)(struct stepper *stepper);

    /* Frees the stepper, which is destroyed or was never created. */
    void (*close)(struct stepper *stepper);

    /* Takes steps, at most plan->most_steps. Moves state->step and state->current, and clears state->fresh. After an error
     * *lost, which is false before, tells whether the state is lost; otherwise it is at state->step. */
    int (*advance)(struct stepper *stepper, uint64_t steps, bool *lost, struct engine_error *error);

    /* Adds to `values`: all metrics of the plugin, for each universe that the state has. Only if the implementation has
     * `measure`. */
    int (*measure)(struct stepper *stepper, double *values, struct engine_error *error);

    /* The host of the plugin's first object: that with the notes. */
    struct host *(*host)(struct stepper *stepper);

    /* Settles the oldest call of an advance that was unsettled. NULL: calls never overlap. */
    int (*settle)(struct stepper *stepper, uint64_t first, uint64_t steps, struct engine_error *error);

    /* Asks the plugin, which has `advise`. Nothing but destroy may follow. NULL: it is not asked. */
    int (*advise)(struct stepper *stepper, uint64_t steps, char *text, uint64_t size, struct engine_error *error);

    /* Times what a step takes beside the calls of the plugin. NULL: nothing. */
    int (*time_exchange)(struct stepper *stepper, double *seconds, struct engine_error *error);

    const struct stepper_recording *recording; /* NULL: calls are never recorded */
};

/* Calls destroy and close. NULL is allowed. */
static inline void stepper_close(struct stepper *stepper)
{
    if (!stepper)
        return;
    stepper->table->destroy(stepper);
    stepper->table->close(stepper);
}

#endif
