#include "judge/cost_share.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *larger(const char *name, double wanted, double most, const char *before, double *share)
{
    const double of_this = most > 0 ? wanted / most : 0;
    if (of_this <= *share)
        return before;
    *share = of_this;
    return name;
}

double cost_limit(const struct engine_limits *limits, uint32_t operation)
{
    const double most[] = {[ENGINE_OPS_LOGIC] = limits->logic,
                           [ENGINE_OPS_FMA] = limits->fma,
                           [ENGINE_OPS_FMA64] = limits->fma64,
                           [ENGINE_OPS_LOOKUP] = 0}; /* not measured */
    return operation < sizeof most / sizeof most[0] ? most[operation] : 0;
}

const char *cost_share(const struct engine_limits *limits, const struct engine_cost *cost, double rate, double *share)
{
    *share = 0;
    const char *limit = larger("copy", rate * cost->bytes, limits->copy, NULL, share);
    return larger(engine_operation_name(cost->operation), rate * cost->operations, cost_limit(limits, cost->operation),
                  limit, share);
}

double cost_skipped(const char *settled)
{
    return strncmp(settled, "unknown", 7) == 0 ? NAN : strtod(settled, NULL) / 100;
}

bool cost_is_skipped(double skipped)
{
    return !(skipped <= 0.01);
}
