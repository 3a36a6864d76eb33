#include "record/recorded_run.h"
#include "base/context.h"
#include "base/machine.h"
#include "files/plan_config.h"
#include "files/replace.h"
#include "files/run_folder.h"
#include "parts/available.h"
#include "parts/divided.h"
#include "parts/parts.h"
#include "record/checkpoint_files.h"
#include "record/checkpoint_record.h"
#include "record/earlier.h"
#include "record/estimate.h"
#include "record/rerun.h"
#include "record/section_output.h"
#include "record/universes.h"
#include "run/state_hash.h"

#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- On a run -------------------------------------------------------------------------------------------------- */

static int plan(struct run *run, struct engine_error *error)
{
    struct recorded_run *recorded = recorded_of(run);
    if (plan_check_until(run->plan, error) != 0 || analysis_plan(run->plan, &recorded->analysis_plan, error) != 0)
        return error->status;
    run->plan->analysis = recorded->analysis_plan;
    return output_check_plans(run->plan, recorded->analysis_plan, error);
}

static int check_room(const struct run *run, struct engine_error *error)
{
    return recorded_check_room((const struct recorded_run *) run, 0, error);
}

static int start(struct run *run, struct engine_error *error)
{
    struct recorded_run *recorded = recorded_of(run);
    return recorded->analysis_plan ? analysis_open(recorded->analysis_plan, run->state, &recorded->analysis, error) : 0;
}

static void changed(struct run *run)
{
    const struct recorded_run *recorded = recorded_of(run);
    if (recorded->analysis)
        instance_state_changed(recorded->analysis->instance);
}

static void observe(struct run *run, struct observers *observers)
{
    const struct recorded_run *recorded = recorded_of(run);
    if (recorded->analysis)
        observers->at[observers->count++] = analysis_observer(recorded->analysis);
}

static void close_outputs(struct recorded_run *recorded)
{
    checkpoints_close(recorded->checkpoints);
    until_close(recorded->until);
    output_close(recorded->output);
    recorded->checkpoints = NULL;
    recorded->until = NULL;
    recorded->output = NULL;
}

static void leave_folder(struct recorded_run *recorded)
{
    lock_release(recorded->lock);
    folder_close(recorded->folder);
    recorded->lock = NULL;
    recorded->folder = NULL;
}

static void end(struct run *run)
{
    struct recorded_run *recorded = recorded_of(run);
    close_outputs(recorded);
    analysis_close(recorded->analysis);
}

static void close_files(struct run *run)
{
    struct recorded_run *recorded = recorded_of(run);
    leave_folder(recorded);
    json_object_put(recorded->earlier);
    plan_close(recorded->analysis_plan);
}

int recorded_check_room(const struct recorded_run *recorded, uint64_t first_step, struct engine_error *error)
{
    if (recorded->flags & ENGINE_RUN_HAS_ROOM)
        return 0;
    const struct estimate estimate = estimate_make(recorded->run.plan, recorded->analysis_plan, first_step);
    const uint32_t threads = recorded->run.plan->settings.threads;
    if (estimate_check(&estimate, recorded->run.plan, error) != 0)
        return error->status;
    /* libgomp would end the program. */
    const int code = available_threads(threads);
    return code == 0 ? 0
                     : error_set(error, ENGINE_STATUS_DEVICE,
                                 "cannot start %u threads: %s; give a smaller number in [run] threads", threads,
                                 strerror(code));
}

/* ---- The folder ------------------------------------------------------------------------------------------------ */

/* Writes the configuration into the folder, so that the run can be resumed. */
static int write_config(const struct recorded_run *recorded, struct engine_error *error)
{
    const struct engine_plugin *about = &recorded->run.plan->plugin->about;
    char *config, *text;
    if (plan_config(recorded->run.plan, &config, error) != 0)
        return error->status;
    int status = asprintf(&text, "; The run in this folder: %s %s by engine %s\n\n%s", about->name, about->version,
                          machine_version(), config);
    if (status < 0) {
        text = NULL;
        status = error_memory(error, strlen(config), "the configuration");
    } else
        status = replace_text(recorded->folder, FOLDER_CONFIG, text, error);
    free(text);
    free(config);
    return status;
}

/* Removes what an earlier run has written, its configuration and its checkpoints, before the new configuration is
 * written. So files of two runs never stand beside each other, also after a power failure. */
static int remove_earlier_run(const struct recorded_run *recorded, struct engine_error *error)
{
    static const struct checkpoint_steps none = {0};
    if (earlier_remove(recorded->run.plan, recorded->folder, error) != 0 ||
        folder_remove(recorded->folder, FOLDER_CONFIG, error) != 0 || folder_sync(recorded->folder, error) != 0 ||
        checkpoint_remove_others(recorded->folder, &none, error) != 0 ||
        checkpoint_remove_damaged(recorded->folder, error) != 0)
        return error->status;
    return folder_sync(recorded->folder, error);
}

static int claim(struct recorded_run *recorded, uint32_t flags, struct engine_error *error)
{
    if (run_folder_make(recorded->run.plan->settings.output, &recorded->folder, error) != 0 ||
        lock_take(recorded->run.plan->context, recorded->folder, &recorded->lock, error) != 0)
        return error->status;
    if (flags & ENGINE_RUN_GOES_ON)
        return 0;
    return flags & ENGINE_RUN_FORCE ? remove_earlier_run(recorded, error)
                                    : run_folder_check_empty(recorded->folder, recorded->run.plan->context, error);
}

int recorded_claim_folder(struct recorded_run *recorded, uint32_t flags, struct engine_error *error)
{
    const int status = claim(recorded, flags, error);
    if (status != 0)
        leave_folder(recorded);
    return status;
}

static int open_files(struct recorded_run *recorded, const struct checkpoint_record *past, struct engine_error *error)
{
    recorded->first = recorded->run.state->step;
    edge_watch_start(&recorded->edge, recorded->run.state);
    if (!recorded->folder)
        return output_open(recorded->run.instance, recorded->analysis, NULL, NULL, &recorded->output, error) != 0
                   ? error->status
                   : until_open(recorded->run.instance, NULL, NULL, &recorded->until, error);
    if (run_folder_clean(recorded->folder, error) != 0 ||
        output_open(recorded->run.instance, recorded->analysis, recorded->folder, past ? &past->output : NULL,
                    &recorded->output, error) != 0 ||
        folder_remove(recorded->folder, FOLDER_SUMMARY, error) != 0 ||
        (plan_is_batch(recorded->run.plan) && folder_remove(recorded->folder, UNIVERSES_FILE, error) != 0) ||
        write_config(recorded, error) != 0 ||
        until_open(recorded->run.instance, recorded->folder, past && past->has_until ? &past->until : NULL,
                   &recorded->until, error) != 0)
        return error->status;
    struct json_object *identity;
    if (identity_make(recorded->run.plan, recorded->analysis_plan, &identity, error) != 0)
        return error->status;
    return checkpoints_open(recorded->run.instance, recorded->output, identity, recorded->earlier, recorded->until,
                            &recorded->checkpoints, error);
}

int recorded_open_files(struct recorded_run *recorded, const struct checkpoint_record *past, struct engine_error *error)
{
    const int status = open_files(recorded, past, error);
    if (status != 0) {
        close_outputs(recorded);
        leave_folder(recorded);
    }
    return status;
}

/* ---- Steps ----------------------------------------------------------------------------------------------------- */

/* The share of the time in which the devices only exchanged margins. Of several processes it is the share of the
 * slowest, with the time that it waited for others. */
static double exchange_share(const struct recorded_run *recorded)
{
    const struct loop_result *result = &recorded->result;
    struct engine_error ignored;
    double seconds;
    const struct ranks *ranks = state_ranks(recorded->run.state);
    if (ranks && result->seconds > 0 &&
        (!device_transport_enqueues(ranks->transport) || plan_shares_work(recorded->run.plan)))
        return fmin(1, ranks->slowest / result->seconds);
    if (result->seconds <= 0 || instance_time_exchange(recorded->run.instance, &seconds, &ignored) != 0 || seconds == 0)
        return 0;
    return seconds / (double) recorded->run.plan->parts[0]->slab.steps * (double) result->steps / result->seconds;
}

/* Writes the table of universes of a batch. */
static int finish_batch(const struct recorded_run *recorded, struct engine_error *error)
{
    if (!plan_is_batch(recorded->run.plan))
        return 0;
    if (universes_write(recorded->run.instance, recorded->folder, error) != 0)
        return error->status;
    return output_files_list(&recorded->output->files, UNIVERSES_FILE, error);
}

/* Hashes the states, and writes the summary into the folder if there is one. */
static int finish(struct recorded_run *recorded, struct engine_error *error)
{
    char *json;
    machine_date(recorded->date);
    recorded->exchange = exchange_share(recorded);
    if (state_hash(recorded->run.state, HASH_RESULTS, recorded->hash, error) != 0 ||
        (recorded->analysis &&
         state_hash(recorded->analysis->state, HASH_RESULTS, recorded->analysis_hash, error) != 0))
        return error->status;
    if (!recorded->folder)
        return 0;
    if (finish_batch(recorded, error) != 0 || recorded_summary_json(recorded, &json, error) != 0)
        return error->status;
    const int status = replace_text(recorded->folder, FOLDER_SUMMARY, json, error);
    free(json);
    return status;
}

/* Tells what somebody has done to the folder meanwhile, and writes a configuration again that was removed: without it
 * the run could not be resumed. */
static void look_after_folder(const struct recorded_run *recorded)
{
    const struct context *context = recorded->run.plan->context;
    struct engine_error error;
    bool found = true;
    if (!folder_is_in_place(recorded->folder))
        context_message(context, ENGINE_LOG_ERROR,
                        "%s: this folder was moved or removed while the run wrote there; if it was moved, it has all "
                        "files of the run, which can be resumed there",
                        recorded->folder->path);
    if (folder_has(recorded->folder, FOLDER_CONFIG, &found, &error) == 0 && !found &&
        write_config(recorded, &error) == 0)
        context_message(context, ENGINE_LOG_ERROR,
                        "%s/" FOLDER_CONFIG ": was removed while the run wrote there; it is written again",
                        recorded->folder->path);
}

/* A run that has ended needs the state of its start only to take more steps from a checkpoint. */
static int remove_start(const struct recorded_run *recorded, struct engine_error *error)
{
    const bool needed = !recorded->folder || recorded->result.signal != 0 || checkpoints_wanted(recorded->checkpoints);
    return needed || !plan_needs_start(recorded->run.plan) ? 0 : folder_remove(recorded->folder, FOLDER_START, error);
}

/* In the order in which they see a state. */
static struct observers observers_of(struct recorded_run *recorded)
{
    struct observers observers = {.count = 0};
    if (recorded->until)
        observers.at[observers.count++] = until_observer(recorded->until);
    if (recorded->analysis)
        observers.at[observers.count++] = analysis_observer(recorded->analysis);
    observers.at[observers.count++] = output_observer(recorded->output);
    observers.at[observers.count++] = edge_observer(&recorded->edge);
    if (recorded->checkpoints)
        observers.at[observers.count++] = checkpoints_observer(recorded->checkpoints);
    return observers;
}

/* The tiles or the tree may need more memory than [run] memory allows. Then the state of the last whole step is there. */
static void save_rest(struct recorded_run *recorded, struct engine_error *error)
{
    const struct state *state = recorded->run.state;
    const size_t length = strlen(error->text);
    struct engine_error ignored;
    if (error->status != ENGINE_STATUS_DEVICE || !recorded->run.plan->tiling || state->lost || !recorded->checkpoints ||
        checkpoints_save(recorded->checkpoints, &ignored) != 0 ||
        checkpoints_settle(recorded->checkpoints, true, &ignored) != 0 ||
        checkpoints_last(recorded->checkpoints) != state->step)
        return;
    snprintf(error->text + length, sizeof error->text - length,
             "; the state of step %llu is saved, and a resumed run with more memory goes on from there",
             (unsigned long long) state->step);
}

int recorded_execute(struct recorded_run *recorded, double deadline, struct engine_error *error)
{
    checkpoints_set_deadline(recorded->checkpoints, deadline);
    const struct observers observers = observers_of(recorded);
    const int status = loop_run(recorded->run.instance, &observers, &recorded->result, error);
    struct engine_error ignored;
    if (status != 0) {
        checkpoints_settle(recorded->checkpoints, true, &ignored);
        save_rest(recorded, error);
    }
    recorded->result.first = recorded->first;
    if (recorded->folder)
        look_after_folder(recorded);
    if (status != 0 || remove_start(recorded, error) != 0 || finish(recorded, error) != 0)
        return error->status;
    if (recorded->flags & ENGINE_RUN_ONCE) {
        lock_release(recorded->lock);
        recorded->lock = NULL;
    }
    return 0;
}

const struct recorder run_recorder = {
    .bytes = sizeof(struct recorded_run),
    .plan = plan,
    .check_room = check_room,
    .start = start,
    .changed = changed,
    .observe = observe,
    .end = end,
    .close = close_files,
};
