/* Checkpoints: snapshots of a run and of its analysis, written while the run takes further steps. As many of the last
 * ones are kept as [checkpoint] keep says. A run without a folder has none: NULL, for which the functions below do nothing. */
#ifndef LIB_RECORD_CHECKPOINT_H
#define LIB_RECORD_CHECKPOINT_H

#include "record/output.h"
#include "record/until.h"
#include "run/observer.h"

struct checkpoints;
struct json_object;

/* Opens the checkpoints of a run. Each checkpoint holds the state of the instance, the list of what the output and its
 * analysis have written so far, the identity of the run (identity_make), what computed its earlier steps
 * (record_add_earlier; `earlier` may be NULL), and the memory of `until`, which may be NULL. This function takes
 * ownership of `identity`. Instance, output, `earlier` and `until` must outlive the checkpoints. */
int checkpoints_open(struct instance *instance, struct output *output, struct json_object *identity,
                     struct json_object *earlier, const struct until *until, struct checkpoints **checkpoints,
                     struct engine_error *error);

/* Sets the time by which the run must have ended, on the clock of machine_clock; 0: none. */
void checkpoints_set_deadline(struct checkpoints *checkpoints, double deadline);

/* Waits for the snapshots that are being written, discards their errors, and frees the checkpoints. */
void checkpoints_close(struct checkpoints *checkpoints);

/* Records that the run was resumed from the checkpoint of its state's step. ENGINE_STATUS_OUTPUT. */
int checkpoints_resumed(struct checkpoints *checkpoints, struct engine_error *error);

/* Are checkpoints asked for, by steps or by time? Otherwise one is written only when the run is stopped. */
bool checkpoints_wanted(const struct checkpoints *checkpoints);

/* The next step after the state's at which a checkpoint is due by steps; UINT64_MAX: none. */
uint64_t checkpoints_next(const struct checkpoints *checkpoints);

/* Is a checkpoint of the present state due: by steps, by time, or to measure how long one takes before the deadline? */
bool checkpoints_due(const struct checkpoints *checkpoints);

/* Must the run stop now to be saved before the deadline, where one call takes `call_seconds`? */
bool checkpoints_time_is_up(const struct checkpoints *checkpoints, double call_seconds);

/* Begins to write a checkpoint of the present state, unless the last one was of this step. Waits for the last one
 * first. The state may change as soon as this returns. */
int checkpoints_save(struct checkpoints *checkpoints, struct engine_error *error);

/* Completes a checkpoint that has been written. `wait`: waits for one that is still being written.
 * ENGINE_STATUS_OUTPUT. */
int checkpoints_settle(struct checkpoints *checkpoints, bool wait, struct engine_error *error);

/* Called at the end of the steps. Removes the checkpoints that could not be removed before. If the run has ended and
 * no checkpoints are asked for, also removes those that a stop has left. If that fails, the context gets a message. */
void checkpoints_end(struct checkpoints *checkpoints, bool ended);

/* The step of the last whole checkpoint; UINT64_MAX: none. */
uint64_t checkpoints_last(const struct checkpoints *checkpoints);

struct observer checkpoints_observer(struct checkpoints *checkpoints);

#endif
