#include "run/run.h"
#include "base/context.h"
#include "base/machine.h"
#include "io/replace.h"
#include "plan/estimate.h"
#include "run/checkpoint_files.h"
#include "run/checkpoint_record.h"
#include "run/divided.h"
#include "run/earlier.h"
#include "run/init.h"
#include "run/run_folder.h"
#include "run/snapshot.h"
#include "run/state_hash.h"
#include "run/universes.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void run_release(struct run *run)
{
    checkpoints_close(run->checkpoints);
    until_close(run->until);
    output_close(run->output);
    analysis_close(run->analysis);
    instance_close(run->instance);
    state_close(run->state);
    lock_release(run->lock);
    folder_close(run->folder);
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
        plan_choose(run->plan, run->plan->settings.implementation, error) != 0 ||
        plan_check_until(run->plan, error) != 0)
        return error->status;
    if (analysis_plan(run->plan, &run->analysis_plan, error) != 0)
        return error->status;
    run->plan->analysis = run->analysis_plan;
    return plan_check_output(run->plan, run->analysis_plan, error);
}

int run_check_room(const struct run *run, uint64_t first_step, struct engine_error *error)
{
    if (run->has_room)
        return 0;
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
        status = replace_text(run->folder, FOLDER_CONFIG, text, error);
    free(text);
    free(config);
    return status;
}

/* Removes what an earlier run has written, its configuration and its checkpoints, before the new configuration is
 * written. So files of two runs never stand beside each other, also after a power failure. */
static int remove_earlier_run(const struct run *run, struct engine_error *error)
{
    if (earlier_remove(run->plan, run->folder, error) != 0 || folder_remove(run->folder, FOLDER_CONFIG, error) != 0 ||
        folder_sync(run->folder, error) != 0 ||
        checkpoint_remove_others(run->folder, UINT64_MAX, UINT64_MAX, error) != 0 ||
        checkpoint_remove_damaged(run->folder, error) != 0)
        return error->status;
    return folder_sync(run->folder, error);
}

int run_claim_folder(struct run *run, bool force, struct engine_error *error)
{
    if (run_folder_make(run->plan->settings.output, &run->folder, error) != 0 ||
        lock_take(run->plan->context, run->folder, &run->lock, error) != 0)
        return error->status;
    return force ? remove_earlier_run(run, error) : run_folder_check_empty(run->folder, error);
}

int run_open_files(struct run *run, const struct checkpoint_record *past, struct engine_error *error)
{
    run->first = run->state->step;
    if (!run->folder)
        return output_open(run->instance, run->analysis, NULL, NULL, &run->output, error) != 0
                   ? error->status
                   : until_open(run->instance, NULL, NULL, &run->until, error);
    if (run_folder_clean(run->folder, error) != 0 ||
        output_open(run->instance, run->analysis, run->folder, past ? &past->output : NULL, &run->output, error) != 0 ||
        folder_remove(run->folder, FOLDER_SUMMARY, error) != 0 ||
        (plan_is_batch(run->plan) && folder_remove(run->folder, UNIVERSES_FILE, error) != 0) ||
        write_config(run, error) != 0 ||
        until_open(run->instance, run->folder, past && past->has_until ? &past->until : NULL, &run->until, error) != 0)
        return error->status;
    struct json_object *identity;
    if (record_identity(run->plan, run->analysis_plan, &identity, error) != 0)
        return error->status;
    return checkpoints_open(run->instance, run->output, identity, run->earlier, run->until, &run->checkpoints, error);
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

/* The share of the time in which the devices only exchanged margins. Of several processes it is the share of the
 * slowest, with the time that it waited for others. */
static double exchange_share(const struct run *run)
{
    const struct loop_result *result = &run->result;
    struct engine_error ignored;
    double seconds;
    const struct ranks *ranks = state_ranks(run->state);
    if (ranks && result->seconds > 0 && (!carrier_enqueues(ranks->carrier) || plan_shares_work(run->plan)))
        return fmin(1, ranks->slowest / result->seconds);
    if (result->seconds <= 0 || instance_time_exchange(run->instance, &seconds, &ignored) != 0 || seconds == 0)
        return 0;
    return seconds / (double) run->plan->parts[0]->slab.steps * (double) result->steps / result->seconds;
}

/* Writes the table of universes of a batch. */
static int finish_batch(const struct run *run, struct engine_error *error)
{
    if (!plan_is_batch(run->plan))
        return 0;
    if (universes_write(run->instance, run->folder, error) != 0)
        return error->status;
    return output_files_list(&run->output->files, UNIVERSES_FILE, error);
}

/* Hashes the states, and writes the summary into the folder if there is one. */
static int finish(struct run *run, struct engine_error *error)
{
    char *json;
    machine_date(run->date);
    run->exchange = exchange_share(run);
    if (state_hash(run->state, run->hash, error) != 0 ||
        (run->analysis && state_hash(run->analysis->state, run->analysis_hash, error) != 0))
        return error->status;
    if (!run->folder)
        return 0;
    if (finish_batch(run, error) != 0 || run_summary_json(run, &json, error) != 0)
        return error->status;
    const int status = replace_text(run->folder, FOLDER_SUMMARY, json, error);
    free(json);
    return status;
}

/* Tells what somebody has done to the folder meanwhile, and writes a configuration again that was removed: without it
 * the run could not be resumed. */
static void look_after_folder(const struct run *run)
{
    const struct context *context = run->plan->context;
    struct engine_error error;
    bool found = true;
    if (!folder_is_in_place(run->folder))
        context_message(context, ENGINE_LOG_ERROR,
                        "%s: this folder was moved or removed while the run wrote there; if it was moved, it has all "
                        "files of the run, and `engine resume` continues the run in it",
                        run->folder->path);
    if (folder_has(run->folder, FOLDER_CONFIG, &found, &error) == 0 && !found && write_config(run, &error) == 0)
        context_message(context, ENGINE_LOG_ERROR,
                        "%s/" FOLDER_CONFIG ": was removed while the run wrote there; it is written again",
                        run->folder->path);
}

/* A run that has ended needs the state of its start only to take more steps from a checkpoint. */
static int remove_start(const struct run *run, struct engine_error *error)
{
    const bool needed = !run->folder || run->result.signal != 0 || checkpoints_wanted(run->checkpoints);
    return needed || !plan_waits_for(run->plan, UNTIL_REPEATS) ? 0 : folder_remove(run->folder, FOLDER_START, error);
}

/* In the order in which they see a state. */
static struct observers observers_of(const struct run *run)
{
    struct observers observers = {.count = 0};
    if (run->until)
        observers.at[observers.count++] = until_observer(run->until);
    if (run->analysis)
        observers.at[observers.count++] = analysis_observer(run->analysis);
    observers.at[observers.count++] = output_observer(run->output);
    if (run->checkpoints)
        observers.at[observers.count++] = checkpoints_observer(run->checkpoints);
    return observers;
}

int run_execute(struct run *run, double deadline, struct engine_error *error)
{
    checkpoints_set_deadline(run->checkpoints, deadline);
    const struct observers observers = observers_of(run);
    const int status = loop_run(run->instance, &observers, &run->result, error);
    struct engine_error ignored;
    if (status != 0)
        checkpoints_settle(run->checkpoints, true, &ignored);
    run->result.first = run->first;
    if (run->folder)
        look_after_folder(run);
    if (status != 0 || remove_start(run, error) != 0)
        return error->status;
    return finish(run, error);
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
    if (run->analysis)
        observers.at[observers.count++] = analysis_observer(run->analysis);
    return loop_advance(run->instance, &observers, steps, error);
}
