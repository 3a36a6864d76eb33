/* The functions of engine.h that plan, start and advance runs. */
#include "api/handles.h"
#include "base/modules.h"

#include <stdlib.h>

struct engine_run *api_new_run(struct engine_context *context, struct engine_error *error)
{
    struct engine_run *run = calloc(1, sizeof *run);
    if (!run) {
        error_memory(error, sizeof *run, "a run");
        return NULL;
    }
    run->context = context;
    run->number = ++context->runs;
    run->run = run_new(&context->context, error);
    if (run->run)
        return run;
    free(run);
    return NULL;
}

static int check_use(const struct plan *plan, struct engine_error *error)
{
    const struct modules *modules = plan->context->modules;
    return modules->check_use ? modules->check_use(plan, plan->analysis, error) : 0;
}

int engine_run_plan(const struct engine_config *config, struct engine_run **out, struct engine_error *error)
{
    API_NUMBERS;
    struct engine_run *run = api_new_run(config->context, error);
    *out = NULL;
    if (!run)
        return error->status;
    if (config_clone(config->config, &run->run->owned_config, error) != 0 ||
        run_plan(run->run, run->run->owned_config, config->context->registry, error) != 0 ||
        check_use(run->run->plan, error) != 0) {
        engine_run_close(run);
        return error->status;
    }
    *out = run;
    return 0;
}

void engine_run_close(struct engine_run *run)
{
    API_NUMBERS;
    if (!run)
        return;
    run_release(run->run);
    free(run->run);
    free(run);
}

int engine_run_start(struct engine_run *run, struct engine_error *error)
{
    API_NUMBERS;
    const bool prepared = run->prepared;
    run->prepared = false;
    if (run->run->state && !prepared)
        return error_set(error, ENGINE_STATUS_USAGE, "the run has already started; engine_run_start starts it once");
    if (api_check_chosen(run, error) != 0)
        return error->status;
    return (prepared ? run_open_instance : run_start)(run->run, error);
}

int engine_run_advance(struct engine_run *run, uint64_t steps, uint64_t *taken, int *lost, struct engine_error *error)
{
    API_NUMBERS;
    if (taken)
        *taken = 0;
    if (lost)
        *lost = 0;
    if (run_check_started(run->run, error) != 0)
        return error->status;
    const uint64_t first = run->run->state->step;
    const int status = run_check_state(run->run, error) != 0 ? error->status : run_advance(run->run, steps, error);
    if (taken)
        *taken = run->run->state->step - first;
    if (lost)
        *lost = run->run->state->lost;
    return status;
}

uint64_t engine_run_step(const struct engine_run *run)
{
    return run->run->state ? run->run->state->step : 0;
}

uint64_t engine_run_steps(const struct engine_run *run)
{
    return run->run->plan->settings.steps;
}

void engine_run_plugin(const struct engine_run *run, struct engine_plugin_info *plugin)
{
    plugin_fill_info(run->run->plan->plugin, plugin);
}

const struct engine_impl *engine_run_impl(const struct engine_run *run)
{
    return run->run->plan->impl;
}
