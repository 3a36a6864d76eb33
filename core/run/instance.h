/* One running implementation on one state. */
#ifndef CORE_RUN_INSTANCE_H
#define CORE_RUN_INSTANCE_H

#include "run/meeting.h"
#include "run/state.h"
#include "run/turns.h"

enum { RECORDINGS_MAX = 8 };

/* The launches that one call of advance enqueues, recorded so that they can be replayed. They depend only on steps,
 * current, parity and phase. */
struct recording {
    uint64_t steps;
    uint64_t current, result; /* the buffers that hold the states before and after it: bit i for part i */
    uint32_t parity;          /* of the first step */
    uint32_t phase, next;     /* of the carrier (run/carrier.h) before and after it */
    uint32_t seen;            /* the number of such calls so far */
    void *handle;             /* the device's; NULL: not recorded yet */
};

struct ahead;

struct instance {
    struct state *state;
    struct instance **parts; /* of a divided run: one for each of state->parts, NULL for parts of other processes;
                                otherwise NULL */
    struct meeting *meeting; /* of parts that share their work (ENGINE_TEAMWORK); otherwise NULL */
    double *values;          /* what each part with a meeting, or each universe, measures: all metrics of the first
                                one, then … */
    struct host host;        /* the services of this instance, with its notes and scratch memory */
    struct turns turns;
    bool fresh;             /* the state was changed from outside since the last advance */
    bool inputs_written;    /* an input was written from outside since create */
    bool inputs_shared;     /* a program has the address of an input, and may write to it */
    bool exchange_enqueues; /* of a divided run: exchange_margins can be recorded */
    struct recording recordings[RECORDINGS_MAX];
    struct ahead *ahead; /* reads the frames of trajectories; NULL: no second frame was asked for yet */
};

/* Calls create on a state at its first step. The state must outlive the instance. */
int instance_open(struct state *state, struct instance **instance, struct engine_error *error);
void instance_close(struct instance *instance);

/* The host with the notes that the plugin has made: of a divided run those of the first part. */
const struct host *instance_host(const struct instance *instance);

/* Fills the ghosts and takes `steps` steps, at most plan->most_steps, in one call of advance. In a divided run, fills
 * the margins and the parts take as many steps as these last, one part after the other, until all steps are taken.
 * Parts that share their work take all steps at the same time. After an error *lost tells whether the state is lost.
 * lost may be NULL. */
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

/* Times an exchange of the margins, in seconds; 0 for a run that has none. The state stays as it is. If several
 * processes share the run, process 0 calls it, and the others do the same on command. */
int instance_time_exchange(struct instance *instance, double *seconds, struct engine_error *error);

/* Records that the state was written from outside. */
void instance_state_changed(struct instance *instance);

/* Records that an input was written from outside. Plugins may read inputs in create. So before the next call the
 * instance is destroyed and created again. If create fails, that call returns its error and the state stays as it is;
 * the call after it tries again. For inputs that change from call to call, those of analyses and of files of frames,
 * use instance_state_changed. */
void instance_input_written(struct instance *instance);

/* What a call and a measurement begin with: creates the instance again if an input was written. */
int instance_renew(struct instance *instance, struct engine_error *error);

/* What a call and a measurement of all parts begin with: tells the parts what has changed in the whole, and tells other
 * processes the box of particles, which each frame of a file may change. */
void instance_prepare_parts(struct instance *instance);
int instance_tell_box(const struct instance *instance, struct engine_error *error);

/* ---- instance_measure.c ---- */

/* Measures: one number for each metric of the plugin. *measured is false where the implementation does not measure. */
int instance_measure(struct instance *instance, double *values, bool *measured, struct engine_error *error);

/* Measures each universe of a batch: all metrics of universe 0, then … The values stay valid until the next call for
 * this instance. NULL where the implementation does not measure. instance_measure gives the means over the
 * universes. */
int instance_measure_universes(struct instance *instance, const double **values, struct engine_error *error);

/* Adds the metrics of the parts of a divided run that this process has to those of the parts before them. */
int instance_measure_parts(struct instance *instance, double *values, struct engine_error *error);

#endif
