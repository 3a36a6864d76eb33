/* A stepper takes the steps of a state. Each kind of stepper has a table of functions, which run/instance.c calls.
 * run/open.c asks the context for one. A stepper may use others: that of a divided run has one for each part, and that
 * of a recording or of several processes has one inside. */
#ifndef CORE_RUN_STEPPER_H
#define CORE_RUN_STEPPER_H

#include "plugin/host.h"
#include "run/state.h"

struct stepper {
    const struct stepper_table *table;
    struct state *state;
    bool unsettled; /* advance leaves `settle` to the caller, for as long as this is set */
};

/* The launches of a call depend on the step and on this place of the stepper. */
struct stepper_place {
    uint64_t buffers; /* with the present states: bit i for part i */
    uint32_t phase;   /* of the transport of cells between devices */
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

    /* After an error that other processes do not know of: takes part in the exchanges that they expect for so many
     * steps. NULL: there are no others. */
    void (*keep_up)(struct stepper *stepper, uint64_t steps);
};

/* Functions return 0 or a status, with its error. The state outlives its stepper. */
struct stepper_table {
    /* Calls the plugin's create, for a state at its first step or one that was changed from outside. After an error the
     * caller calls destroy. */
    int (*create)(struct stepper *stepper, struct engine_error *error);

    /* Undoes create, also after an error of create. The caller may call create again. */
    void (*destroy)(struct stepper *stepper);

    /* Frees the stepper. `destroy` was called, or create never was. */
    void (*close)(struct stepper *stepper);

    /* Takes steps, at most plan->most_steps. Moves state->step and state->current, and clears state->fresh. After an
     * error, *lost tells whether the state is lost. If not, it is at state->step. *lost is false before. */
    int (*advance)(struct stepper *stepper, uint64_t steps, bool *lost, struct engine_error *error);

    /* Adds all metrics of the plugin, for each universe of the state, to `values`. Called only if the implementation
     * has `measure`. */
    int (*measure)(struct stepper *stepper, double *values, struct engine_error *error);

    /* Returns the host of the plugin's first object, which has the notes. */
    struct host *(*host)(struct stepper *stepper);

    /* Settles the oldest call that advance left unsettled. NULL: calls never overlap. */
    int (*settle)(struct stepper *stepper, uint64_t first, uint64_t steps, struct engine_error *error);

    /* Calls `advise` of the plugin. Only destroy may follow. NULL: it is not called. */
    int (*advise)(struct stepper *stepper, uint64_t steps, char *text, uint64_t size, struct engine_error *error);

    /* Measures the time of a step outside the calls of the plugin. NULL: there is none. */
    int (*time_exchange)(struct stepper *stepper, double *seconds, struct engine_error *error);

    const struct stepper_recording *recording; /* NULL: calls are never recorded */
};

/* Allocates a stepper of so many bytes, which begin with its struct stepper. The other bytes are 0. NULL: no memory, with
 * the error. */
struct stepper *stepper_new(size_t bytes, const struct stepper_table *table, struct state *state,
                            struct engine_error *error);

/* The functions `place` and `go` of a recording, for a stepper whose place is the present buffer of its state. */
struct stepper_place stepper_place_current(const struct stepper *stepper);
void stepper_go_current(struct stepper *stepper, struct stepper_place place);

/* Calls destroy and close. NULL is allowed. */
void stepper_close(struct stepper *stepper);

#endif
