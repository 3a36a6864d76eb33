/* A stepper around a stepper whose calls only enqueue launches on a device (ENGINE_ENQUEUES): it records what a call
 * enqueues, and replays it. */
#ifndef LIB_PARTS_STEPPER_RECORDED_H
#define LIB_PARTS_STEPPER_RECORDED_H

#include "run/stepper.h"

/* Could the calls of steppers of this plan be recorded? */
bool stepper_recorded_wanted(const struct plan *plan);

/* Takes over `inner`, which it closes, also after an error. */
int stepper_recorded_open(struct stepper *inner, struct stepper **stepper, struct engine_error *error);

/* For steppers that record something else than their steps: recording_end ends what recording_begin began, also after an
 * error, `status`. The device's `forget` frees the handle. */
bool recording_is_possible(const struct stepper *inner);
int recording_begin(const struct stepper *inner, struct engine_error *error);
int recording_end(const struct stepper *inner, int status, void **handle, struct engine_error *error);
int recording_replay(const struct stepper *inner, void *handle, struct engine_error *error);

#endif
