/* One running implementation on one state. */
#ifndef CORE_RUN_INSTANCE_H
#define CORE_RUN_INSTANCE_H

#include "run/stepper.h"

struct instance {
    struct state *state;
    struct stepper *stepper;
    double *values;      /* what each universe of a batch measures: all metrics of the first one, then … */
    bool inputs_written; /* an input was written from outside since create */
    bool inputs_shared;  /* a program has the address of an input, and may write to it */
};

/* Calls create on a state at its first step. The state must outlive the instance. */
int instance_open(struct state *state, struct instance **instance, struct engine_error *error);
/* The same with that stepper, which it takes over, also after an error. instance_open chooses one (run/open.c). */
int instance_open_on(struct stepper *stepper, struct instance **instance, struct engine_error *error);
void instance_close(struct instance *instance);

/* The host with the notes that the plugin has made. */
const struct host *instance_host(const struct instance *instance);

/* Takes `steps` steps, at most plan->most_steps. After an error *lost tells whether the state is lost. lost may be
 * NULL. */
int instance_advance(struct instance *instance, uint64_t steps, bool *lost, struct engine_error *error);

/* May two calls of instance_advance be under way at a time? If each call takes the next frame of a file, the
 * implementation has `settle`, and its device copies frames beside other work. The host would write the next frame to
 * the buffer that the present call reads. */
bool instance_overlaps(const struct instance *instance);

/* instance_start is instance_advance, but for an instance that overlaps, whose call may go on after it returns 0.
 * instance_settle waits for the oldest call that goes on, which took `steps` steps from `first` on, and reports its
 * failure, after which the state is lost. At most two calls go on at a time. */
int instance_start(struct instance *instance, uint64_t steps, struct engine_error *error);
int instance_settle(struct instance *instance, uint64_t first, uint64_t steps, struct engine_error *error);

/* Times what a step takes beside the calls of the plugin, in seconds: an exchange of margins between parts. 0: there is
 * nothing. The state stays as it is. */
int instance_time_exchange(struct instance *instance, double *seconds, struct engine_error *error);

/* Calls advise, which the implementation has: would it pay to take `steps` steps at a time? `text` has room for `size`
 * bytes, and is "" where the stepper does not ask. Nothing but instance_close may follow. */
int instance_advise(struct instance *instance, uint64_t steps, char *text, uint64_t size, struct engine_error *error);

/* Records that the state was written from outside. */
void instance_state_changed(struct instance *instance);

/* Records that an input was written from outside. Plugins may read inputs in create. So before the next call the
 * instance is destroyed and created again. If create fails, that call returns its error and the state stays as it is;
 * the call after it tries again. For inputs that change from call to call, those of analyses and of files of frames,
 * use instance_state_changed. */
void instance_input_written(struct instance *instance);

/* What a call and a measurement begin with: creates the instance again if an input was written. */
int instance_renew(struct instance *instance, struct engine_error *error);

/* ---- instance_measure.c ---- */

/* Measures: one number for each metric of the plugin. *measured is false where the implementation does not measure. */
int instance_measure(struct instance *instance, double *values, bool *measured, struct engine_error *error);

/* Measures each universe of a batch: all metrics of universe 0, then … The values stay valid until the next call for
 * this instance. NULL where the implementation does not measure. instance_measure gives the means over the
 * universes. */
int instance_measure_universes(struct instance *instance, const double **values, struct engine_error *error);

#endif
