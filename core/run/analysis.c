#include "run/analysis.h"
#include "base/machine.h"
#include "run/init.h"

#include <stdlib.h>

int analysis_plan(const struct plan *run, struct registry *registry, struct plan **plan, struct engine_error *error)
{
    *plan = NULL;
    if (!*run->settings.analyse.plugin)
        return 0;
    if (plan_open_analysis(run, registry, plan, error) != 0)
        return error->status;
    return plan_choose(*plan, (*plan)->settings.implementation, error);
}

int analysis_open(struct plan *plan, const struct state *run, struct analysis **out, struct engine_error *error)
{
    struct analysis *analysis = calloc(1, sizeof *analysis);
    *out = NULL;
    if (!analysis)
        return error_memory(error, sizeof *analysis, "an analysis");
    analysis->run = run;
    analysis->last = UINT64_MAX;
    if (state_open(plan, &analysis->state, error) == 0) {
        state_bind(analysis->state, run);
        if (init_state(analysis->state, error) == 0 &&
            instance_open(analysis->state, &analysis->instance, error) == 0) {
            *out = analysis;
            return 0;
        }
    }
    analysis_close(analysis);
    return error->status;
}

void analysis_close(struct analysis *analysis)
{
    if (!analysis)
        return;
    instance_close(analysis->instance);
    state_close(analysis->state);
    free(analysis);
}

uint64_t analysis_next(const struct analysis *analysis)
{
    if (!analysis || analysis->state->plan->settings.analyse.every == 0)
        return UINT64_MAX;
    const uint64_t from = analysis->state->plan->settings.analyse.from;
    const uint64_t every = analysis->state->plan->settings.analyse.every, step = analysis->run->step;
    return step < from ? from : from + ((step - from) / every + 1) * every;
}

int analysis_follow(struct analysis *analysis, struct engine_error *error)
{
    state_bind(analysis->state, analysis->run);
    instance_state_changed(analysis->instance);
    return plan_change_box(analysis->state->plan, error);
}

/* Takes one step on the present contents of the run's buffers. Nothing that was derived from earlier states is
 * reused. */
static int analyse(struct analysis *analysis, struct engine_error *error)
{
    struct state *state = analysis->state;
    struct device *device = state->plan->device;
    if (analysis_follow(analysis, error) != 0 || instance_advance(analysis->instance, 1, NULL, error) != 0)
        return error->status;
    state->step = analysis->run->step;
    return device->synchronise(device, error);
}

int analysis_take(struct analysis *analysis, bool final, struct engine_error *error)
{
    if (!analysis || analysis->last == analysis->run->step)
        return 0;
    const struct settings *settings = &analysis->state->plan->settings;
    const uint64_t from = settings->analyse.from, every = settings->analyse.every, step = analysis->run->step;
    const bool due = every == 0 ? final : step >= from && (step - from) % every == 0;
    if (!due)
        return 0;
    const double begin = machine_clock();
    if (analyse(analysis, error) != 0)
        return error_prefix(error, "analysis of step %llu: ", (unsigned long long) step);
    analysis->last = step;
    analysis->seconds += machine_clock() - begin;
    analysis->frames++;
    return 0;
}
