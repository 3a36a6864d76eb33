/* Takes the steps of a batch whose implementation does not state ENGINE_BATCH: each universe has an object of the
 * plugin, with a plan and views of its own, and takes its steps after those of the one before. */
#ifndef LIB_PARTS_STEPPER_UNIVERSES_H
#define LIB_PARTS_STEPPER_UNIVERSES_H

#include "run/stepper.h"

int stepper_universes_open(struct state *state, struct stepper **stepper, struct engine_error *error);

/* Of a state that lies in one memory, a part or a run that is not divided: this one, or stepper_whole. */
int stepper_here_open(struct state *state, struct stepper **stepper, struct engine_error *error);

#endif
