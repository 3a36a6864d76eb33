/* Declares a thousand times the work that a step does, and so has a thousand times the rate. */
#include "cheat.h"

#include <engine/bench.h>

static int declare(const struct engine_host *host, const struct engine_plan *plan, struct engine_work *work)
{
    (void) host;
    work->unit = "particle updates";
    work->per_step = 1000.0 * (double) plan->shapes.at[0].extent[0];
    return ENGINE_OK;
}

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "is honest", 0, ENGINE_EXACT | ENGINE_REFERENCE), .advance = take_honestly},
    {ENGINE_HOST_IMPL("fast", "seems to be fast", 1, ENGINE_EXACT), .advance = take_honestly},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("work", "0", "numbers that are multiplied and added to"),
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
    .work = declare,
};
