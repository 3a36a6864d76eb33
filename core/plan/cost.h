/* How near a rate comes to what a device can do. */
#ifndef CORE_PLAN_COST_H
#define CORE_PLAN_COST_H

#include "plan/plan.h"

/* The limit that binds: of that of memory and that of the kind of operation, the one of which a rate of work takes the
 * larger share. NULL: it is not known, *share is 0. */
const char *share_of_limit(const struct device_limits *limits, const struct engine_cost *cost, double rate,
                           double *share);

/* What a plan's chosen implementation says that a unit of its work costs; nothing where it does not say. */
struct engine_cost share_cost(const struct plan *plan);

/* The name of a kind of operation, ENGINE_OPS_…: "logic"; NULL after the last. */
const char *share_operation(uint32_t operation);

#endif
