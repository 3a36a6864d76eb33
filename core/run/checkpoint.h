/* Checkpoints: the state of a run and of its analysis in snapshots, written while the run goes on, the last two kept.
 */
#ifndef CORE_RUN_CHECKPOINT_H
#define CORE_RUN_CHECKPOINT_H

#include "run/output.h"

struct checkpoints;
struct json_object;

/* What a checkpoint holds besides the state of the instance: how far the output, which may hold an analysis, has come,
 * and what the run is about (core/record.h), which is taken over. All outlive the checkpoints. */
int checkpoints_open(struct instance *instance, struct output *output, struct json_object *subject,
                     struct checkpoints **checkpoints, struct engine_error *error);

/* Sets when the run must have ended, on the clock of machine_clock; 0: it may take its time. */
void checkpoints_set_deadline(struct checkpoints *checkpoints, double deadline);

/* Waits for what is being written, and gives its errors no word. */
void checkpoints_close(struct checkpoints *checkpoints);

/* The run has been resumed from the checkpoint of its state's step. */
void checkpoints_resumed(struct checkpoints *checkpoints);

/* Are they asked for, every so many steps or seconds? Else they come when the run is stopped. */
bool checkpoints_wanted(const struct checkpoints *checkpoints);

/* The next step after the state's at which one is due by its number; UINT64_MAX: none. */
uint64_t checkpoints_next(const struct checkpoints *checkpoints);

/* Is one due of the state as it stands: by the number of its step, by time, or to learn what one costs before the
 * deadline? */
bool checkpoints_due(const struct checkpoints *checkpoints);

/* Must the run be stopped now to be saved before the deadline, where a call takes so many seconds? */
bool checkpoints_time_is_up(const struct checkpoints *checkpoints, double call_seconds);

/* Begins to write one of the state as it stands, unless that was the last one; waits for the one before. The state may
 * change when this has returned. */
int checkpoints_save(struct checkpoints *checkpoints, struct engine_error *error);

/* Ends what has been written meanwhile; with `wait` also what has not. ENGINE_STATUS_OUTPUT. */
int checkpoints_settle(struct checkpoints *checkpoints, bool wait, struct engine_error *error);

/* Removes those that a stop has left, where none were asked for: the run is at its end. */
void checkpoints_end(struct checkpoints *checkpoints);

/* The step of the last one that is whole; UINT64_MAX: none. */
uint64_t checkpoints_last(const struct checkpoints *checkpoints);

#endif
