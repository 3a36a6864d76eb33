/* What the steppers of divided runs share: a stepper for each part of this process. */
#ifndef LIB_PARTS_STEPPER_PARTS_H
#define LIB_PARTS_STEPPER_PARTS_H

#include "parts/divided.h"
#include "run/stepper.h"

struct stepper_parts {
    struct stepper stepper;
    struct stepper **parts; /* one for each of the state's; NULL for those of other processes */
    struct host none;       /* has no notes: as long as there are no parts */
};

/* Takes up the stepper of a part before its create; may be NULL. */
typedef int stepper_parts_join(struct stepper_parts *parts, struct stepper *part, uint32_t index,
                               struct engine_error *error);

/* Fills the margins, because create may look at them, and creates the steppers of the parts. */
int stepper_parts_create(struct stepper_parts *parts, stepper_parts_join *join, struct engine_error *error);

/* Destroys and frees them. */
void stepper_parts_destroy(struct stepper_parts *parts);

/* The host of the first part of this process. */
struct host *stepper_parts_host(struct stepper *stepper);

/* Takes steps of a part in as many calls as its ghosts ask for. */
int stepper_parts_take(struct stepper_parts *parts, uint32_t index, uint64_t steps, bool *lost,
                       struct engine_error *error);

/* Parts that exchange margins, and take their steps one after the other. */
int stepper_cut_open(struct state *state, struct stepper **stepper, struct engine_error *error);

/* Parts that share their work: they take their steps at the same time (parts/team.h). */
int stepper_team_open(struct state *state, struct stepper **stepper, struct engine_error *error);

#endif
