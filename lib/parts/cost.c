#include "parts/cost.h"

static const char *const names[] = {[ENGINE_OPS_LOGIC] = "logic",
                                    [ENGINE_OPS_FMA] = "fma",
                                    [ENGINE_OPS_FMA64] = "fma64",
                                    [ENGINE_OPS_LOOKUP] = "lookup"};

const char *cost_operation(uint32_t operation)
{
    return operation < sizeof names / sizeof names[0] ? names[operation] : NULL;
}

struct engine_cost cost_of_impl(const struct plan *plan, const struct engine_impl *impl)
{
    const struct engine_cost unknown = {.size = sizeof unknown};
    struct engine_cost cost = unknown;
    if (!impl->cost || plan->tiling) /* it is that of a step of all cells */
        return unknown;
    const struct foreign call = foreign_begin(plan->context, plan->plugin->about.name, "cost");
    const int code = impl->cost(&plan->host.table, &plan->for_plugin, &cost);
    foreign_end(&call);
    return code == 0 ? cost : unknown;
}

struct engine_cost cost_of_plan(const struct plan *plan)
{
    return cost_of_impl(plan, plan->impl);
}
