/* The functions of engine.h that plan, start, advance, execute and resume runs. */
#include "api/handles.h"
#include "base/machine.h"
#include "judge/advice.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static struct engine_run *new_run(struct engine_context *context, struct engine_error *error)
{
    struct engine_run *run = calloc(1, sizeof *run);
    if (run)
        run->context = context;
    else
        error_memory(error, sizeof *run, "a run");
    return run;
}

int engine_run_plan(const struct engine_config *config, struct engine_run **out, struct engine_error *error)
{
    API_NUMBERS;
    struct engine_run *run = new_run(config->context, error);
    *out = NULL;
    if (!run)
        return error->status;
    if (run_plan(&run->run, config->config, config->context->registry, error) != 0 ||
        plan_check_use(run->run.plan, run->run.analysis_plan, error) != 0) {
        engine_run_close(run);
        return error->status;
    }
    *out = run;
    return 0;
}

void engine_run_close(struct engine_run *run)
{
    API_NUMBERS;
    if (run)
        run_release(&run->run);
    free(run);
}

int engine_run_print_plan(struct engine_run *run, int form, char **text, struct engine_error *error)
{
    API_NUMBERS;
    return (form == ENGINE_JSON ? plan_print_json : plan_print_text)(run->run.plan, run->run.analysis_plan, text,
                                                                     error);
}

int engine_run_advise(struct engine_run *run, struct engine_error *error)
{
    API_NUMBERS;
    return advice_ask(run->run.plan, run->run.registry, error);
}

int engine_run_check_room(struct engine_run *run, struct engine_error *error)
{
    API_NUMBERS;
    return run_check_room(&run->run, 0, error);
}

int engine_run_start(struct engine_run *run, struct engine_error *error)
{
    API_NUMBERS;
    if (run->run.state)
        return error_set(error, ENGINE_STATUS_USAGE, "the run has already started; engine_run_start starts it once");
    return run_check_room(&run->run, 0, error) != 0 ? error->status : run_start(&run->run, error);
}

int engine_run_advance(struct engine_run *run, uint64_t steps, uint64_t *taken, int *lost, struct engine_error *error)
{
    API_NUMBERS;
    if (taken)
        *taken = 0;
    if (lost)
        *lost = 0;
    if (run_check_started(&run->run, error) != 0)
        return error->status;
    const uint64_t first = run->run.state->step;
    const int status = run_check_state(&run->run, error) != 0 ? error->status : run_advance(&run->run, steps, error);
    if (taken)
        *taken = run->run.state->step - first;
    if (lost)
        *lost = run->run.state->lost;
    return status;
}

uint64_t engine_run_step(const struct engine_run *run)
{
    return run->run.state ? run->run.state->step : 0;
}

uint64_t engine_run_steps(const struct engine_run *run)
{
    return run->run.plan->settings.steps;
}

void engine_run_plugin(const struct engine_run *run, struct engine_plugin_info *plugin)
{
    plugin_fill_info(run->run.plan->plugin, plugin);
}

const struct engine_impl *engine_run_impl(const struct engine_run *run)
{
    return run->run.plan->impl;
}

int engine_run_signal(const struct engine_run *run)
{
    return run->run.plan->settings.checkpoint.signal;
}

const char *engine_run_ended(const struct engine_run *run)
{
    return run->run.result.ended;
}

const char *engine_run_folder(const struct engine_run *run)
{
    return run->run.plan->settings.output;
}

/* ---- Whole runs ------------------------------------------------------------------------------------------------ */

/* Starts the run, unless it has started, and opens the files in its folder, unless engine_run_resume has opened
 * them. */
static int prepare(struct run *run, uint32_t flags, struct engine_error *error)
{
    if (run->checkpoints || (run->output && !run->folder))
        return 0;
    if (!run->state && (run_check_room(run, 0, error) != 0 || run_start(run, error) != 0))
        return error->status;
    if (!(flags & ENGINE_RUN_NO_FILES) && run_claim_folder(run, flags & ENGINE_RUN_FORCE, error) != 0)
        return error->status;
    return run_open_files(run, NULL, error);
}

/* Writes the members that the caller's version of the structure has. */
static void fill_result(const struct run *run, struct engine_result *result)
{
    const bool saved = run->checkpoints && folder_is_in_place(run->folder);
    const struct engine_result filled = {.size = result->size,
                                         .stopped = run->result.signal,
                                         .first = run->first,
                                         .step = run->state ? run->state->step : 0,
                                         .saved = saved ? checkpoints_last(run->checkpoints) : UINT64_MAX};
    memcpy(result, &filled, result->size < sizeof filled ? result->size : sizeof filled);
}

int engine_run_execute(struct engine_run *run, const struct engine_execution *execution, struct engine_result *result,
                       struct engine_error *error)
{
    API_NUMBERS;
    const double seconds = execution ? execution->deadline : 0;
    if (!run->changed && !run->run.output)
        plan_warn_empty(run->run.plan);
    int status = run->run.state ? run_check_state(&run->run, error) : 0;
    if (status == 0)
        status = prepare(&run->run, run->flags | (execution ? execution->flags : 0), error);
    if (status == 0)
        status = run_execute(&run->run, seconds > 0 ? run->context->opened + seconds : 0, error);
    fill_result(&run->run, result);
    return status;
}

int engine_run_resume(struct engine_context *context, const char *folder, const char *const *assignments,
                      uint32_t count, struct engine_run **out, char **summary, struct engine_error *error)
{
    API_NUMBERS;
    struct engine_run *run = new_run(context, error);
    *out = NULL;
    *summary = NULL;
    if (!run)
        return error->status;
    const int status = run_resume(&run->run, folder, assignments, count, context->registry, summary, error);
    if (status == 0 && !*summary)
        *out = run;
    else
        engine_run_close(run);
    return status;
}

int engine_run_print_summary(struct engine_run *run, int form, char **text, struct engine_error *error)
{
    API_NUMBERS;
    if (!run->run.output) {
        *text = NULL;
        return error_set(error, ENGINE_STATUS_USAGE, "there is no summary; call engine_run_execute first");
    }
    return (form == ENGINE_JSON ? run_summary_json : run_summary_text)(&run->run, text, error);
}

int engine_report(struct engine_context *context, const char *folder, struct engine_error *error)
{
    API_NUMBERS;
    return report_write(&context->context, folder, error);
}
