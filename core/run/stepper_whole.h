/* Takes the steps of a state that lies in one memory: one object of the plugin takes them all. */
#ifndef CORE_RUN_STEPPER_WHOLE_H
#define CORE_RUN_STEPPER_WHOLE_H

#include "run/stepper.h"

int stepper_whole_open(struct state *state, struct stepper **stepper, struct engine_error *error);

#endif
