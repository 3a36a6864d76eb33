/* What the files plan*.c share. */
#ifndef CORE_PLAN_PLAN_PARTS_H
#define CORE_PLAN_PLAN_PARTS_H

#include "plan/plan.h"

/* The shapes of all fields at step 0, one after the other: a plugin sees those of the fields before. ENGINE_STATUS_USAGE,
 * ENGINE_STATUS_PLUGIN. */
int plan_make_shapes(struct plan *plan, struct engine_error *error);

/* Holds what the configuration asks of the fields against their shapes: the files that they start from, the formats
 * that they are written in, and the slice that is shown of them. ENGINE_STATUS_USAGE, ENGINE_STATUS_INPUT. */
int plan_check_fields(const struct plan *plan, struct engine_error *error);

#endif
