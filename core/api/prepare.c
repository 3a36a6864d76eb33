/* The functions of engine.h that show a program what plugins see, and that start runs at any step. */
#include "api/handles.h"
#include "run/init.h"

int api_check_chosen(const struct engine_run *run, struct engine_error *error)
{
    return run->run->plan->impl
               ? 0
               : error_set(error, ENGINE_STATUS_USAGE, "the run has no implementation; call engine_run_choose first");
}

void engine_run_seen(struct engine_run *run, const struct engine_host **host, const struct engine_plan **plan)
{
    *host = &run->run->plan->host.table;
    *plan = &run->run->plan->for_plugin;
}

int engine_run_prepare(struct engine_run *run, uint64_t step, struct engine_error *error)
{
    API_NUMBERS;
    if (run->run->state)
        return error_set(error, ENGINE_STATUS_USAGE, "the run has its buffers; engine_run_prepare makes them once");
    if (api_check_chosen(run, error) != 0 || state_open(run->run->plan, &run->run->state, error) != 0 ||
        init_state(run->run->state, error) != 0)
        return error->status;
    run->run->state->step = step;
    run->prepared = true;
    return 0;
}
