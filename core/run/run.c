#include "run/run.h"
#include "base/context.h"
#include "base/modules.h"
#include "run/init.h"

#include <stdlib.h>
#include <string.h>

struct run *run_new(const struct context *context, struct engine_error *error)
{
    const struct recorder *recorder = context->modules ? context->modules->recorder : NULL;
    const size_t bytes = recorder ? recorder->bytes : sizeof(struct run);
    struct run *run = calloc(1, bytes);
    if (run)
        run->recorder = recorder;
    else
        error_memory(error, bytes, "a run");
    return run;
}

int run_plan(struct run *run, const struct config *config, struct registry *registry, struct engine_error *error)
{
    run->registry = registry;
    if (plan_open(config, registry, &run->plan, error) != 0 ||
        plan_choose(run->plan, run->plan->settings.implementation, error) != 0)
        return error->status;
    return run->recorder && run->recorder->plan ? run->recorder->plan(run, error) : 0;
}

int run_open_instance(struct run *run, struct engine_error *error)
{
    if (instance_open(run->state, &run->instance, error) != 0)
        return error->status;
    if (!run->recorder || !run->recorder->start || run->recorder->start(run, error) == 0)
        return 0;
    instance_close(run->instance);
    run->instance = NULL;
    return error->status;
}

int run_start(struct run *run, struct engine_error *error)
{
    if (run->recorder && run->recorder->check_room && run->recorder->check_room(run, error) != 0)
        return error->status;
    if (state_open(run->plan, &run->state, error) != 0 || init_state(run->state, error) != 0)
        return error->status;
    return run_open_instance(run, error);
}

void run_state_changed(struct run *run)
{
    run->changed = true;
    (run->instance->inputs_shared ? instance_input_written : instance_state_changed)(run->instance);
    if (run->recorder && run->recorder->changed)
        run->recorder->changed(run);
}

int run_check_started(const struct run *run, struct engine_error *error)
{
    return run->instance
               ? 0
               : error_set(error, ENGINE_STATUS_USAGE, "the run has not started; call engine_run_start first");
}

int run_check_state(const struct run *run, struct engine_error *error)
{
    if (run_check_started(run, error) != 0)
        return error->status;
    return run->state->lost ? error_set(error, ENGINE_STATUS_USAGE,
                                        "an error has destroyed the state of the run; restore a snapshot or open a "
                                        "new run")
                            : 0;
}

int run_advance(struct run *run, uint64_t steps, struct engine_error *error)
{
    struct observers observers = {.count = 0};
    if (run->recorder && run->recorder->observe)
        run->recorder->observe(run, &observers);
    return loop_advance(run->instance, &observers, steps, error);
}

void run_release(struct run *run)
{
    const struct recorder *recorder = run->recorder;
    if (recorder && recorder->end)
        recorder->end(run);
    instance_close(run->instance);
    state_close(run->state);
    if (recorder && recorder->close)
        recorder->close(run);
    plan_close(run->plan);
    config_close(run->owned_config);
    memset(run, 0, recorder ? recorder->bytes : sizeof *run);
    run->recorder = recorder;
}
