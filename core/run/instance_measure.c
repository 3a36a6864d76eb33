/* What an instance measures: the numbers of a state, or of each universe of a batch. */
#include "run/instance.h"

#include <stdlib.h>
#include <string.h>

static bool measures(const struct instance *instance)
{
    const struct plan *plan = instance->state->plan;
    return plan->impl->measure && plan->plugin->about.metrics.count > 0;
}

static int measure(struct instance *instance, double *values, uint64_t count, struct engine_error *error)
{
    if (instance_renew(instance, error) != 0)
        return error->status;
    memset(values, 0, count * sizeof *values);
    return instance->stepper->table->measure(instance->stepper, values, error);
}

int instance_measure_universes(struct instance *instance, const double **values, struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    const uint64_t count = plan->settings.universes * plan->plugin->about.metrics.count;
    *values = NULL;
    if (!measures(instance))
        return 0;
    if (!instance->values && !(instance->values = calloc(count, sizeof *instance->values)))
        return error_memory(error, count * sizeof *instance->values, "the metrics of the universes");
    if (measure(instance, instance->values, count, error) != 0)
        return error->status;
    *values = instance->values;
    return 0;
}

/* The plugin does not say which of its metrics are sums and which are means. So the metrics of a batch are the means of
 * those of its universes. */
static int measure_mean(struct instance *instance, double *values, struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    const uint32_t count = plan->plugin->about.metrics.count;
    const double *of;
    if (instance_measure_universes(instance, &of, error) != 0)
        return error->status;
    memset(values, 0, count * sizeof *values);
    for (uint64_t i = 0; i < plan->settings.universes; i++)
        for (uint32_t m = 0; m < count; m++)
            values[m] += of[i * count + m];
    for (uint32_t m = 0; m < count; m++)
        values[m] /= (double) plan->settings.universes;
    return 0;
}

int instance_measure(struct instance *instance, double *values, bool *measured, struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    *measured = measures(instance);
    if (!*measured)
        return 0;
    return plan_is_batch(plan) ? measure_mean(instance, values, error)
                               : measure(instance, values, plan->plugin->about.metrics.count, error);
}
