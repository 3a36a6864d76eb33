#include "ensemble/plans.h"
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

static bool has_shapes(const struct engine_plan *plan, const struct engine_plan *other)
{
    for (uint32_t i = 0; i < plan->shapes.count; i++)
        if (memcmp(plan->shapes.at[i].extent, other->shapes.at[i].extent, sizeof other->shapes.at[i].extent) != 0)
            return false;
    return true;
}

/* Plans a member on the implementation of a run. */
static int plan_member(struct plans *plans, const struct ensemble *ensemble, struct engine_context *context,
                       uint64_t member, struct engine_run *run, struct engine_error *error)
{
    const struct engine_host *host;
    const struct engine_plan *whole, *own;
    struct engine_config *config;
    struct engine_run **planned = &plans->runs[plans->count];
    if (ensemble_config(ensemble, member, context, &config, error) != 0)
        return error->status;
    int status = engine_run_plan_steps(config, NULL, planned, error);
    engine_config_close(config);
    if (status != 0)
        return status;
    plans->count++;
    status = engine_run_choose(*planned, engine_run_impl(run)->name, error);
    engine_run_seen(run, &host, &whole);
    engine_run_seen(*planned, &host, &own);
    plans->list[plans->count - 1] = *own;
    return status != 0 || has_shapes(own, whole)
               ? status
               : error_set(error, ENGINE_STATUS_USAGE, "the members have different shapes");
}

int plans_open(struct plans *plans, const struct ensemble *ensemble, struct engine_context *context,
               const uint64_t *members, uint32_t count, struct engine_run *run, struct engine_error *error)
{
    plans->runs = calloc(count, sizeof *plans->runs);
    plans->list = calloc(count, sizeof *plans->list);
    if (!plans->runs || !plans->list)
        return error_memory(error, count * sizeof *plans->list, "the plans of members");
    for (uint32_t i = 0; i < count; i++)
        if (plan_member(plans, ensemble, context, members[i], run, error) != 0)
            return error->status;
    return engine_run_set_universes(run, plans->list, error);
}

void plans_close(struct plans *plans)
{
    for (uint32_t i = 0; i < plans->count; i++)
        engine_run_close(plans->runs[i]);
    free(plans->runs);
    free(plans->list);
    *plans = (struct plans){0};
}
