/* engine_run_set_universes: the universes of a batch have plans of their own. */
#include "api/handles.h"

int engine_run_set_universes(struct engine_run *run, const struct engine_plan *plans, struct engine_error *error)
{
    if (run->run->state)
        return error_set(error, ENGINE_STATUS_USAGE, "the run has its buffers; engine_run_set_universes comes before");
    run->run->plan->for_plugin.each = plans;
    return 0;
}
