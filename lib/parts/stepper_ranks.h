/* A stepper around the stepper of the parts that this process has: process 0 tells the others what to do, and all do the
 * same (parts/ranks.h, parts/serve.h). */
#ifndef LIB_PARTS_STEPPER_RANKS_H
#define LIB_PARTS_STEPPER_RANKS_H

#include "run/stepper.h"

/* Takes over `inner`, which it closes, also after an error. */
int stepper_ranks_open(struct stepper *inner, struct stepper **stepper, struct engine_error *error);

#endif
