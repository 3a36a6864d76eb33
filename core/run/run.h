/* A run: its plan, its state, and the instance that takes its steps. A recorder may add an analysis, files and a
 * result. */
#ifndef CORE_RUN_RUN_H
#define CORE_RUN_RUN_H

#include "run/loop.h"

struct run;

/* A recorder extends a run. The extended structure begins with a struct run and has `bytes` bytes, which are 0 at
 * first. A function that has nothing to do is NULL. */
struct recorder {
    size_t bytes;

    /* Plans what the recorder needs, after an implementation has been chosen. */
    int (*plan)(struct run *run, struct engine_error *error);

    /* Checks that memory and disk have room for the run, before it starts. */
    int (*check_room)(const struct run *run, struct engine_error *error);

    /* Starts after the instance has been created. After an error the run has not started, and nothing stands on it. */
    int (*start)(struct run *run, struct engine_error *error);

    /* The state was written from outside. */
    void (*changed)(struct run *run);

    /* Adds the observers of steps that run_advance takes. */
    void (*observe)(struct run *run, struct observers *observers);

    /* `end` closes what uses the instance or the state, and then `close` what uses the plan; also after an error. */
    void (*end)(struct run *run);
    void (*close)(struct run *run);
};

/* Members that were not opened are NULL. */
struct run {
    const struct recorder *recorder; /* NULL: none */
    struct registry *registry;       /* owned by the caller */
    struct config *owned_config;     /* of this run alone; NULL: the caller owns the configuration */
    struct plan *plan;
    struct state *state;
    struct instance *instance;
    bool changed; /* the caller has written into the state */
};

/* Makes an empty run with the recorder of a context, or NULL: there is no memory. The caller calls run_release and
 * free. */
struct run *run_new(const struct context *context, struct engine_error *error);

/* Checks the configuration and makes the plan of the run. The caller calls run_release afterwards, even if this
 * function or one of the following returns an error. */
int run_plan(struct run *run, const struct config *config, struct registry *registry, struct engine_error *error);

/* Allocates the state, fills it with the initial state, and creates the instance. */
int run_start(struct run *run, struct engine_error *error);

/* Creates the instance of a state that is filled. */
int run_open_instance(struct run *run, struct engine_error *error);

/* Records that the state was written from outside. */
void run_state_changed(struct run *run);

/* Checks that the run has started. ENGINE_STATUS_USAGE. */
int run_check_started(const struct run *run, struct engine_error *error);

/* Checks that the run has started, and that its state is not lost. ENGINE_STATUS_USAGE. */
int run_check_state(const struct run *run, struct engine_error *error);

/* Takes steps. Returns early if the context asks the run to stop. After an error, state->lost says whether the state is
 * lost. */
int run_advance(struct run *run, uint64_t steps, struct engine_error *error);

/* Closes everything, and empties the run for another plan. */
void run_release(struct run *run);

#endif
