/* One running implementation on one state: the only caller of a plugin's create, advance, measure and destroy. */
#ifndef CORE_RUN_INSTANCE_H
#define CORE_RUN_INSTANCE_H

#include "run/state.h"

enum { RECORDINGS_MAX = 8 };

/* What one call of advance enqueues, kept to be replayed: it depends on these keys alone. */
struct recording {
    uint64_t steps;
    uint32_t current, parity; /* of the first step */
    uint32_t result;
    uint32_t seen; /* how often such a call came */
    void *handle;  /* the device's; NULL: not recorded yet */
};

struct instance {
    struct state *state;
    struct host host; /* the table this instance is handed, its notes and scratch */
    void *self;
    bool created;
    bool fresh; /* the state was changed from outside since the last advance */
    struct recording recordings[RECORDINGS_MAX];
};

/* Calls create on a state that stands at its first step. The state must outlive the instance. */
int instance_open(struct state *state, struct instance **instance, struct engine_error *error);
void instance_close(struct instance *instance);

/* Takes `steps` steps in one call of advance, ghosts filled before; at most plan->most_steps. After an error *lost
 * tells whether the state is lost. lost may be NULL. */
int instance_advance(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error);

/* Writes one number a metric of the plugin. *measured is false where the implementation does not measure. */
int instance_measure(struct instance *instance, double *values, bool *measured, struct engine_error *error);

/* To be called when the state was written from outside. */
void instance_state_changed(struct instance *instance);

#endif
