#include "run/run.h"
#include "base/context.h"
#include "base/machine.h"
#include "plan/estimate.h"
#include "run/checkpoint_files.h"
#include "run/checkpoint_record.h"
#include "run/earlier.h"
#include "run/folder.h"
#include "run/init.h"
#include "run/snapshot.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void run_release(struct run *run)
{
    checkpoints_close(run->checkpoints);
    output_close(run->output);
    analysis_close(run->analysis);
    instance_close(run->instance);
    state_close(run->state);
    lock_release(run->lock);
    json_object_put(run->earlier);
    plan_close(run->analysis_plan);
    plan_close(run->plan);
    config_close(run->owned_config);
    *run = (struct run){0};
}

/* ---- Opening --------------------------------------------------------------------------------------------------- */

int run_plan(struct run *run, const struct config *config, struct registry *registry, struct engine_error *error)
{
    run->registry = registry;
    if (plan_open(config, registry, &run->plan, error) != 0 ||
        plan_choose(run->plan, run->plan->settings.implementation, error) != 0)
        return error->status;
    if (analysis_plan(run->plan, registry, &run->analysis_plan, error) != 0)
        return error->status;
    run->plan->analysis = run->analysis_plan;
    return plan_check_output(run->plan, run->analysis_plan, error);
}

int run_check_room(const struct run *run, uint64_t first_step, struct engine_error *error)
{
    const struct estimate estimate = estimate_make(run->plan, run->analysis_plan, first_step);
    return estimate_check(&estimate, run->plan, error);
}

int run_open_instances(struct run *run, struct engine_error *error)
{
    if (instance_open(run->state, &run->instance, error) != 0)
        return error->status;
    return run->analysis_plan ? analysis_open(run->analysis_plan, run->state, &run->analysis, error) : 0;
}

int run_start(struct run *run, struct engine_error *error)
{
    if (state_open(run->plan, &run->state, error) != 0 || init_state(run->state, error) != 0)
        return error->status;
    return run_open_instances(run, error);
}

/* ---- The folder ------------------------------------------------------------------------------------------------ */

static void remove_file(const char *folder, const char *name)
{
    char path[SETTINGS_PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

/* Writes the configuration into the folder, so that the run can be resumed. */
static int write_config(const struct run *run, struct engine_error *error)
{
    const struct engine_plugin *about = &run->plan->plugin->about;
    char *config, *text;
    if (plan_config(run->plan, &config, error) != 0)
        return error->status;
    int status = asprintf(&text, "; The run in this folder: %s %s by engine %s\n\n%s", about->name, about->version,
                          machine_version(), config);
    if (status < 0) {
        text = NULL;
        status = error_memory(error, strlen(config), "the configuration");
    } else
        status = folder_write(run->plan->settings.output, FOLDER_CONFIG, text, error);
    free(text);
    free(config);
    return status;
}

/* Removes what an earlier run has written, its configuration and its checkpoints, before the new configuration is
 * written. So files of two runs never stand beside each other. */
int run_claim_folder(struct run *run, bool force, struct engine_error *error)
{
    const char *folder = run->plan->settings.output;
    if (folder_make(folder, error) != 0 || lock_take(run->plan->context, folder, &run->lock, error) != 0 ||
        (!force && folder_check_empty(folder, error) != 0))
        return error->status;
    earlier_remove(run->plan);
    remove_file(folder, FOLDER_CONFIG);
    checkpoint_remove_others(folder, UINT64_MAX, UINT64_MAX);
    return 0;
}

int run_open_files(struct run *run, const struct output_past *past, struct engine_error *error)
{
    const char *folder = run->plan->settings.output;
    folder_clean(folder);
    if (output_open(run->instance, run->analysis, past, &run->output, error) != 0)
        return error->status;
    remove_file(folder, FOLDER_SUMMARY);
    if (write_config(run, error) != 0)
        return error->status;
    struct json_object *identity;
    if (record_identity(run->plan, run->analysis_plan, &identity, error) != 0)
        return error->status;
    run->first = run->state->step;
    return checkpoints_open(run->instance, run->output, identity, run->earlier, &run->checkpoints, error);
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

/* Hashes the states and writes the summary into the folder. */
static int finish(struct run *run, struct engine_error *error)
{
    char *json;
    if (state_hash(run->state, run->hash, error) != 0 ||
        (run->analysis && state_hash(run->analysis->state, run->analysis_hash, error) != 0) ||
        run_summary_json(run, &json, error) != 0)
        return error->status;
    const int status = folder_write(run->plan->settings.output, FOLDER_SUMMARY, json, error);
    free(json);
    return status;
}

int run_execute(struct run *run, double deadline, struct engine_error *error)
{
    checkpoints_set_deadline(run->checkpoints, deadline);
    const int status = loop_run(run->instance, run->analysis, run->output, run->checkpoints, &run->result, error);
    struct engine_error ignored;
    if (status != 0)
        checkpoints_settle(run->checkpoints, true, &ignored);
    run->result.first = run->first;
    return status == 0 ? finish(run, error) : status;
}

int run_check_started(const struct run *run, struct engine_error *error)
{
    return run->instance ? 0 : error_set(error, ENGINE_STATUS_USAGE, "the run has not started");
}

int run_advance(struct run *run, uint64_t steps, bool *lost, struct engine_error *error)
{
    return loop_advance(run->instance, run->analysis, steps, lost, error);
}
