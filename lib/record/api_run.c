/* The functions of engine.h that describe, execute and resume runs. */
#include "api/handles.h"
#include "files/plan_use.h"
#include "record/advice.h"
#include "record/estimate.h"
#include "record/plan_print.h"
#include "record/probes.h"
#include "record/recorded_run.h"
#include "record/section_checkpoint.h"
#include "record/section_output.h"

#include <stdlib.h>
#include <string.h>

int engine_run_print_plan(struct engine_run *run, int form, char **text, struct engine_error *error)
{
    API_NUMBERS;
    struct plan *analysis = recorded_of(run->run)->analysis_plan;
    *text = NULL;
    if (api_check_chosen(run, error) != 0)
        return error->status;
    return (form == ENGINE_JSON ? plan_print_json : plan_print_text)(run->run->plan, analysis, text, error);
}

int engine_run_advise(struct engine_run *run, struct engine_error *error)
{
    API_NUMBERS;
    return api_check_chosen(run, error) != 0 ? error->status : advice_ask(run->run->plan, run->run->registry, error);
}

int engine_run_check_room(struct engine_run *run, struct engine_error *error)
{
    API_NUMBERS;
    return api_check_chosen(run, error) != 0 ? error->status : recorded_check_room(recorded_of(run->run), 0, error);
}

int engine_run_check_rooms(const struct engine_run *run, uint32_t at_once, uint64_t count, uint64_t *bytes,
                           struct engine_error *error)
{
    API_NUMBERS;
    const struct plan *plan = run->run->plan;
    *bytes = 0;
    if (api_check_chosen(run, error) != 0)
        return error->status;
    struct estimate estimate = estimate_make(plan, recorded_of(run->run)->analysis_plan, 0);
    if (__builtin_mul_overflow(estimate.buffers, at_once, &estimate.buffers))
        estimate.buffers = UINT64_MAX;
    estimate.disk_least *= (double) count;
    estimate.disk_most *= (double) count;
    *bytes = estimate.buffers;
    return estimate_check(&estimate, plan, error);
}

int engine_run_check_init(const struct engine_run *run, struct engine_error *error)
{
    API_NUMBERS;
    if (plan_check_init(run->run->plan, error) != 0)
        return error->status;
    plan_warn_init(run->run->plan);
    output_warn(run->run->plan);
    return 0;
}

int engine_run_signal(const struct engine_run *run)
{
    return checkpoint_settings(run->run->plan)->signal;
}

const char *engine_run_ended(const struct engine_run *run)
{
    return recorded_of(run->run)->result.ended;
}

int engine_run_condition(const struct engine_run *run, uint32_t index, struct engine_condition *condition)
{
    static const uint32_t kinds[] = {[UNTIL_METRIC] = ENGINE_UNTIL_METRIC,
                                     [UNTIL_REPEATS] = ENGINE_UNTIL_REPEATS,
                                     [UNTIL_UNCHANGED] = ENGINE_UNTIL_UNCHANGED,
                                     [UNTIL_SETTLED] = ENGINE_UNTIL_SETTLED,
                                     [UNTIL_EDGE] = ENGINE_UNTIL_EDGE};
    const struct until_conditions *until = &output_settings(run->run->plan)->until;
    if (index >= until->count)
        return 0;
    const struct engine_condition filled = {.size = condition->size,
                                            .kind = kinds[until->at[index].kind],
                                            .text = until->at[index].text,
                                            .every = output_until_every(run->run->plan)};
    memcpy(condition, &filled, condition->size < sizeof filled ? condition->size : sizeof filled);
    return 1;
}

const char *engine_run_folder(const struct engine_run *run)
{
    return run->run->plan->settings.output;
}

/* ---- Whole runs ------------------------------------------------------------------------------------------------ */

void engine_run_set_flags(struct engine_run *run, uint32_t flags)
{
    recorded_of(run->run)->flags = flags;
    struct output_settings *settings = output_settings(run->run->plan);
    if (flags & ENGINE_RUN_NO_FILES) {
        settings->format_count = 0;
        settings->hash_every = 0;
    }
}

static int check_recorded(const struct engine_run *run, struct engine_error *error)
{
    return run->run->recorder
               ? 0
               : error_set(error, ENGINE_STATUS_USAGE, "a run of engine_run_plan_steps takes steps and writes nothing");
}

int engine_run_claim(struct engine_run *run, uint32_t flags, struct engine_error *error)
{
    API_NUMBERS;
    struct recorded_run *recorded = recorded_of(run->run);
    if (check_recorded(run, error) != 0)
        return error->status;
    if (recorded->output && !recorded->folder)
        return error_set(error, ENGINE_STATUS_USAGE, "the run was executed without files, so it has no folder");
    return recorded->folder ? 0 : recorded_claim_folder(recorded, flags, error);
}

/* Starts the run, unless it has started, and opens the files in its folder, unless engine_run_resume has opened
 * them. */
static int prepare(struct recorded_run *recorded, uint32_t flags, struct engine_error *error)
{
    if (recorded->checkpoints || (recorded->output && !recorded->folder))
        return 0;
    if (flags & ENGINE_RUN_NO_FILES && recorded->folder)
        return error_set(error, ENGINE_STATUS_USAGE, "ENGINE_RUN_NO_FILES: the run has claimed its folder already");
    if (!recorded->run.state && run_start(&recorded->run, error) != 0)
        return error->status;
    if (!(flags & ENGINE_RUN_NO_FILES) && !recorded->folder && recorded_claim_folder(recorded, flags, error) != 0)
        return error->status;
    return recorded_open_files(recorded, NULL, error);
}

/* Writes the members that the caller's version of the structure has. */
static void fill_result(const struct recorded_run *recorded, struct engine_result *result)
{
    const bool saved = recorded->checkpoints && folder_is_in_place(recorded->folder);
    const struct engine_result filled = {.size = result->size,
                                         .stopped = recorded->result.signal,
                                         .first = recorded->first,
                                         .step = recorded->run.state ? recorded->run.state->step : 0,
                                         .saved = saved ? checkpoints_last(recorded->checkpoints) : UINT64_MAX,
                                         .seconds = recorded->result.seconds};
    memcpy(result, &filled, result->size < sizeof filled ? result->size : sizeof filled);
}

int engine_run_execute(struct engine_run *run, const struct engine_execution *execution, struct engine_result *result,
                       struct engine_error *error)
{
    API_NUMBERS;
    struct engine_execution asked = {0};
    if (execution)
        memcpy(&asked, execution, execution->size < sizeof asked ? execution->size : sizeof asked);
    struct recorded_run *recorded = recorded_of(run->run);
    if (run->run->recorder && !run->run->changed && !recorded->output) {
        plan_warn_init(run->run->plan);
        output_warn(run->run->plan);
        plan_warn_slow(run->run->plan);
    }
    int status = run->run->state ? run_check_state(run->run, error) : 0;
    if (check_recorded(run, error) != 0)
        status = error->status;
    if (status == 0)
        status = prepare(recorded, recorded->flags | asked.flags, error);
    if (status == 0)
        status = recorded_execute(recorded, asked.deadline > 0 ? run->context->opened + asked.deadline : 0, error);
    fill_result(recorded, result);
    return status;
}

void engine_run_result(const struct engine_run *run, struct engine_result *result)
{
    fill_result(recorded_of(run->run), result);
}

/* Adds what the last execution has measured. */
static int fill_last(const struct metrics *metrics, const char *hash, struct engine_measured *measured,
                     struct engine_error *error)
{
    if (metrics->table.file && fflush(metrics->table.file) != 0) /* so that `rows` are complete */
        return error_memory(error, metrics->table.bytes, "metrics");
    measured->values = metrics->measured ? metrics->values : NULL;
    measured->rows = metrics->table.file && !metrics->table.folder ? metrics->table.text : NULL;
    measured->hash = hash;
    return 0;
}

/* Names the file of metrics over time if the implementation measures, or if there are probes. */
static int name_file(const struct plan *plan, int analysis, char name[192], struct engine_error *error)
{
    struct probes probes;
    if (probes_find(plan, &probes, error) != 0)
        return error->status;
    free(probes.at);
    if (probes.count > 0 || (plan->impl->measure && plan->plugin->about.metrics.count > 0))
        output_metrics_name(plan, analysis, name);
    return 0;
}

int engine_run_measured(const struct engine_run *run, int analysis, struct engine_measured *measured,
                        struct engine_error *error)
{
    API_NUMBERS;
    const struct recorded_run *recorded = recorded_of(run->run);
    const struct output *output = recorded->output;
    const struct plan *plan = analysis ? recorded->analysis_plan : run->run->plan;
    struct engine_measured filled = {.size = measured->size, .hash = ""};
    int status = api_check_chosen(run, error);
    if (status == 0 && plan) {
        filled.path = plan->plugin->path;
        filled.about = &plan->plugin->about;
        status = name_file(plan, analysis, filled.file, error);
        if (status == 0 && output)
            status = fill_last(analysis ? &output->analysis_metrics : &output->metrics,
                               analysis ? recorded->analysis_hash : recorded->hash, &filled, error);
    }
    memcpy(measured, &filled, measured->size < sizeof filled ? measured->size : sizeof filled);
    return status;
}

int engine_run_resume(struct engine_context *context, const char *folder, const char *const *assignments,
                      uint32_t count, struct engine_run **out, char **summary, struct engine_error *error)
{
    API_NUMBERS;
    struct engine_run *run = api_new_run(context, error);
    *out = NULL;
    *summary = NULL;
    if (!run)
        return error->status;
    const int status =
        recorded_resume(recorded_of(run->run), folder, assignments, count, context->registry, summary, error);
    if (status == 0 && !*summary)
        *out = run;
    else
        engine_run_close(run);
    return status;
}

int engine_run_print_summary(struct engine_run *run, int form, char **text, struct engine_error *error)
{
    API_NUMBERS;
    if (!recorded_of(run->run)->output) {
        *text = NULL;
        return error_set(error, ENGINE_STATUS_USAGE, "there is no summary; call engine_run_execute first");
    }
    return (form == ENGINE_JSON ? recorded_summary_json : recorded_summary_text)(recorded_of(run->run), text, error);
}
