/* What an instance measures: of a whole state, of parts one after the other or together, and of the universes of a
 * batch. */
#include "plan/parts.h"
#include "run/instance.h"
#include "run/ranks.h"

#include <string.h>

/* Measures the whole state, or all universes, with the metrics of universe 0 first. */
static int measure(struct instance *instance, double *values, struct engine_error *error)
{
    return turns_measure(&instance->turns, instance->fresh, values, error);
}

int instance_measure_parts(struct instance *instance, double *values, struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    const uint64_t each = plan_is_batch(plan) ? plan->plugin->about.metrics.count : 0;
    for (uint32_t i = 0; i < instance->state->plan->settings.parts; i++) {
        if (!instance->parts[i])
            continue;
        instance->parts[i]->state->step = instance->state->step;
        if (measure(instance->parts[i], values + plan->parts[i]->slab.first * each, error) != 0)
            return error->status;
    }
    return 0;
}

static int measure_share(void *argument, uint32_t index, bool *lost, struct engine_error *error)
{
    const struct instance *instance = argument;
    (void) lost;
    return measure(instance->parts[index],
                   instance->values + (uint64_t) index * instance->state->plan->plugin->about.metrics.count, error);
}

/* All parts measure the same. */
static int measure_together(struct instance *instance, double *values, struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    const uint32_t count = plan->plugin->about.metrics.count;
    bool lost = false;
    instance_prepare_parts(instance);
    memset(instance->values, 0, (uint64_t) plan->settings.parts * count * sizeof *values);
    if (meeting_run(instance->meeting, measure_share, instance, &lost, error) != 0)
        return error->status;
    memcpy(values, instance->values, count * sizeof *values); /* of the first part, which process 0 has */
    return 0;
}

static bool measures(const struct instance *instance)
{
    const struct plan *plan = instance->state->plan;
    return plan->impl->measure && plan->plugin->about.metrics.count > 0;
}

/* All parts measure, one after the other: `count` numbers in all. They add to the numbers, or have numbers of their
 * own. */
static int measure_divided(struct instance *instance, double *values, uint64_t count, struct engine_error *error)
{
    const struct state *state = instance->state;
    return instance_measure_parts(instance, values, error) != 0
               ? error->status
               : ranks_measure(state->ranks, state->step, values, count, error);
}

int instance_measure_universes(struct instance *instance, const double **values, struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    const uint64_t count = plan->settings.universes * plan->plugin->about.metrics.count;
    *values = NULL;
    if (!measures(instance))
        return 0;
    if (instance_renew(instance, error) != 0)
        return error->status;
    memset(instance->values, 0, count * sizeof(double));
    if ((instance->parts ? measure_divided(instance, instance->values, count, error)
                         : measure(instance, instance->values, error)) != 0)
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
    for (uint64_t i = 0; i < plan->settings.universes; i++)
        for (uint32_t m = 0; m < count; m++)
            values[m] += of[i * count + m];
    for (uint32_t m = 0; m < count; m++)
        values[m] /= (double) plan->settings.universes;
    return 0;
}

/* The parts of all processes do so at the same time. */
static int measure_with_ranks(struct instance *instance, double *values, struct engine_error *error)
{
    const struct state *state = instance->state;
    int status = instance_tell_box(instance, error);
    if (status == 0)
        status =
            ranks_tell(state->ranks, (struct ranks_command){.kind = RANKS_MEASURE_ALL, .step = state->step}, error);
    if (status == 0)
        status = measure_together(instance, values, error);
    return ranks_finish(state->ranks, status, NULL, error);
}

int instance_measure(struct instance *instance, double *values, bool *measured, struct engine_error *error)
{
    const struct plan *plan = instance->state->plan;
    const uint32_t count = plan->plugin->about.metrics.count;
    *measured = measures(instance);
    if (!*measured)
        return 0;
    if (instance_renew(instance, error) != 0)
        return error->status;
    memset(values, 0, count * sizeof *values);
    if (plan_is_batch(plan))
        return measure_mean(instance, values, error);
    if (!instance->parts)
        return measure(instance, values, error);
    if (instance->meeting)
        return measure_with_ranks(instance, values, error);
    return measure_divided(instance, values, count, error);
}
