/* The cost of work, as implementations declare it. */
#ifndef LIB_PARTS_COST_H
#define LIB_PARTS_COST_H

#include "plan/plan.h"

/* Returns the cost of a unit of work that an implementation declares for the plan; zeros if it declares none. */
struct engine_cost cost_of_impl(const struct plan *plan, const struct engine_impl *impl);

/* The same for the plan's chosen implementation. */
struct engine_cost cost_of_plan(const struct plan *plan);

/* The share of the work that was not done. `settled` is the plugin's note of this key (plugin.h), or "". NaN: the plugin
 * cannot tell. */
double cost_skipped(const char *settled);

/* Is this share so large that a rate cannot be compared with a limit? One percent is too little to matter. */
bool cost_is_skipped(double skipped);

/* The name of a kind of operation, ENGINE_OPS_…: "logic"; NULL after the last. */
const char *cost_operation(uint32_t operation);

#endif
