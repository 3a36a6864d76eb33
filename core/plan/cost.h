/* How close a rate of work comes to the limits of a device. */
#ifndef CORE_PLAN_COST_H
#define CORE_PLAN_COST_H

#include "plan/plan.h"

/* What the plan's chosen implementation says that a unit of its work costs; zeros where it does not say. */
struct engine_cost cost_of_plan(const struct plan *plan);

/* The name of a kind of operation, ENGINE_OPS_…: "logic"; NULL after the last. */
const char *cost_operation(uint32_t operation);

/* Returns the limit that binds: of the limit of memory and that of the kind of operation, the one of which this rate of
 * work takes the larger share. NULL: no limit is known, and *share is 0. */
const char *cost_share(const struct device_limits *limits, const struct engine_cost *cost, double rate, double *share);

#endif
