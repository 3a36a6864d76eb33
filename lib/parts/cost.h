/* The cost of work, as implementations declare it. */
#ifndef LIB_PARTS_COST_H
#define LIB_PARTS_COST_H

#include "plan/plan.h"

/* Returns the cost of a unit of work that an implementation declares for the plan; zeros if it declares none. */
struct engine_cost cost_of_impl(const struct plan *plan, const struct engine_impl *impl);

/* The same for the plan's chosen implementation. */
struct engine_cost cost_of_plan(const struct plan *plan);

/* The name of a kind of operation, ENGINE_OPS_…: "logic"; NULL after the last. */
const char *cost_operation(uint32_t operation);

#endif
