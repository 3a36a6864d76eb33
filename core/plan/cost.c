#include "plan/cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {[ENGINE_OPS_LOGIC] = "logic",
                                    [ENGINE_OPS_FMA] = "fma",
                                    [ENGINE_OPS_FMA64] = "fma64",
                                    [ENGINE_OPS_LOOKUP] = "lookup"};

const char *cost_operation(uint32_t operation)
{
    return operation < sizeof names / sizeof names[0] ? names[operation] : NULL;
}

double cost_skipped(const char *settled)
{
    return strncmp(settled, "unknown", 7) == 0 ? NAN : strtod(settled, NULL) / 100;
}

bool cost_is_skipped(double skipped)
{
    return !(skipped <= 0.01);
}

static const char *larger(const char *name, double wanted, double most, const char *before, double *share)
{
    const double of_this = most > 0 ? wanted / most : 0;
    if (of_this <= *share)
        return before;
    *share = of_this;
    return name;
}

const char *cost_share(const struct device_limits *limits, const struct engine_cost *cost, double rate, double *share)
{
    const double most[] = {[ENGINE_OPS_LOGIC] = limits->logic,
                           [ENGINE_OPS_FMA] = limits->fma,
                           [ENGINE_OPS_FMA64] = limits->fma64,
                           [ENGINE_OPS_LOOKUP] = 0}; /* not measured */
    *share = 0;
    const char *limit = larger("copy", rate * cost->bytes, limits->copy, NULL, share);
    if (cost->operation < sizeof most / sizeof most[0])
        limit = larger(names[cost->operation], rate * cost->operations, most[cost->operation], limit, share);
    return limit;
}

struct engine_cost cost_of_impl(const struct plan *plan, const struct engine_impl *impl)
{
    const struct engine_cost unknown = {.size = sizeof unknown};
    struct engine_cost cost = unknown;
    if (!impl->cost)
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
