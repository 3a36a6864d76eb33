#include "run.h"
#include "carried.h"
#include "checkpoint_files.h"
#include "estimate.h"
#include "init.h"
#include "machine.h"
#include "progress.h"
#include "run_folder.h"
#include "snapshot.h"
#include "summary.h"
#include "watch.h"

#include <json-c/json.h>
#include <signal.h>
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
    plan_close(run->analysis_plan);
    plan_close(run->plan);
    registry_close(run->registry);
    config_close(run->config);
    *run = (struct run){0};
}

/* ---- Opening --------------------------------------------------------------------------------------------------- */

static int set_output(struct config *config, const char *folder, struct error *error)
{
    char assignment[SETTINGS_PATH_MAX + 32];
    snprintf(assignment, sizeof assignment, "run.output=%s", folder);
    return config_set(config, assignment, error);
}

int run_plan(struct run *run, const struct options *options, const char *path, const char *folder, struct error *error)
{
    if (options_config(options, path, &run->config, error) != 0 ||
        (folder && set_output(run->config, folder, error) != 0) ||
        options_registry(options, &run->registry, error) != 0 ||
        plan_open(run->config, run->registry, &run->plan, error) != 0 ||
        plan_choose(run->plan, run->plan->settings.implementation, error) != 0)
        return error->status;
    return analysis_plan(run->plan, run->registry, &run->analysis_plan, error);
}

static int open_instances(struct run *run, struct error *error)
{
    if (instance_open(run->state, &run->instance, error) != 0)
        return error->status;
    return run->analysis_plan ? analysis_open(run->analysis_plan, run->state, &run->analysis, error) : 0;
}

static double deadline_of(const struct options *options)
{
    return options->walltime > 0 ? options->started + options->walltime : 0;
}

/* ---- The folder ------------------------------------------------------------------------------------------------ */

static void remove_file(const char *folder, const char *name)
{
    char path[SETTINGS_PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    unlink(path);
}

/* Puts the configuration into the folder, from which the run can be resumed. */
static int keep_config(const struct run *run, struct error *error)
{
    const struct engine_plugin *about = &run->plan->plugin->about;
    char *config, *text, engine[96];
    if (snapshot_config(run->plan, &config, error) != 0)
        return error->status;
    int status = asprintf(&text, "; The run in this folder: %s %s by engine %s\n\n%s", about->name, about->version,
                          machine_engine(engine), config);
    if (status < 0) {
        text = NULL;
        status = error_memory(error, strlen(config), "the configuration");
    } else
        status = folder_write(run->plan->settings.output, FOLDER_CONFIG, text, error);
    free(text);
    free(config);
    return status;
}

/* What an earlier run left to be resumed from goes before the new configuration comes. */
static int claim_folder(const struct run *run, bool force, struct lock **lock, struct error *error)
{
    const char *folder = run->plan->settings.output;
    if (folder_make(folder, error) != 0 || lock_take(folder, lock, error) != 0 ||
        (!force && folder_check_empty(folder, error) != 0))
        return error->status;
    remove_file(folder, FOLDER_CONFIG);
    checkpoint_remove_others(folder, UINT64_MAX, UINT64_MAX);
    return 0;
}

static int start_writing(struct run *run, const struct options *options, const struct output_past *past,
                         struct error *error)
{
    const char *folder = run->plan->settings.output;
    folder_clean(folder);
    if (output_open(run->instance, run->analysis, past, &run->output, error) != 0)
        return error->status;
    remove_file(folder, FOLDER_SUMMARY);
    if (keep_config(run, error) != 0)
        return error->status;
    struct json_object *subject;
    if (carried_subject(run->plan, run->analysis_plan, &subject, error) != 0)
        return error->status;
    run->first = run->state->step;
    return checkpoints_open(run->instance, run->output, subject, deadline_of(options), &run->checkpoints, error);
}

/* Refuses, before anything is allocated or written, what cannot fit. */
static int check_room(const struct run *run, uint64_t first_step, struct error *error)
{
    const struct estimate estimate = estimate_make(run->plan, run->analysis_plan, first_step);
    return estimate_check(&estimate, run->plan, error);
}

int run_begin(struct run *run, const struct options *options, const char *path, const char *folder, struct lock **lock,
              struct error *error)
{
    if (run_plan(run, options, path, folder, error) != 0 || check_room(run, 0, error) != 0 ||
        state_open(run->plan, &run->state, error) != 0 || init_state(run->state, error) != 0 ||
        open_instances(run, error) != 0 || (!folder && claim_folder(run, options->force, lock, error) != 0))
        return error->status;
    return start_writing(run, options, NULL, error);
}

/* ---- Resuming -------------------------------------------------------------------------------------------------- */

/* The files of frames stand at the frame of the last step, which has to be the one that the checkpoint holds. */
static int find_frame(struct run *run, struct error *error)
{
    char held[HASH_TEXT], read[HASH_TEXT];
    const uint64_t step = run->state->step;
    if (run->plan->frames == 1 || step < 2)
        return 0;
    if (state_hash_inputs(run->state, held, error) != 0 || init_next_frame(run->state, step - 1, error) != 0 ||
        state_hash_inputs(run->state, read, error) != 0)
        return error->status;
    return strcmp(held, read) == 0
               ? 0
               : error_set(error, STATUS_INPUT,
                           "%s: frame %llu is not the one that the run has read; give the same files "
                           "by --set init.file=…",
                           run->plan->settings.file, (unsigned long long) step - 1);
}

/* A checkpoint's files, open. */
struct restoring {
    struct snapshot *run, *analysis;
    struct carried carried;
};

static int open_part(const char *folder, uint64_t step, bool analysis, struct snapshot **snapshot, struct error *error)
{
    char path[CHECKPOINT_PATH_MAX];
    return snapshot_open(checkpoint_path(folder, step, analysis, path), snapshot, error);
}

static int open_files(struct restoring *restoring, const struct run *run, uint64_t step, struct error *error)
{
    const char *folder = run->plan->settings.output;
    char path[CHECKPOINT_PATH_MAX];
    if (open_part(folder, step, false, &restoring->run, error) != 0 ||
        (run->analysis_plan && open_part(folder, step, true, &restoring->analysis, error) != 0))
        return error->status;
    if (carried_read(snapshot_header(restoring->run)->extra, &restoring->carried, error) == 0)
        return 0;
    return error_prefix(error, "%s: ", checkpoint_path(folder, step, false, path));
}

static int restore_analysis(const struct run *run, const struct restoring *restoring, struct error *error)
{
    struct analysis *analysis = run->analysis;
    if (!analysis)
        return 0;
    analysis->frames = restoring->carried.analysis_frames;
    analysis->last = restoring->carried.analysis_last;
    instance_state_changed(analysis->instance);
    return snapshot_restore(restoring->analysis, analysis->state, error);
}

/* Says so where another version than the one that wrote the checkpoint goes on. */
static void compare_versions(const struct run *run, const struct snapshot *snapshot)
{
    const char *then = snapshot_header(snapshot)->plugin_version, *now = run->plan->plugin->about.version;
    if (host_verbosity != HOST_QUIET && strcmp(then, now) != 0)
        fprintf(stderr, "engine: the checkpoint is of %s %s, this is %s; results may differ\n",
                run->plan->plugin->about.name, then, now);
}

int run_refuse_steps(const struct run *run, uint64_t step, struct error *error)
{
    return error_set(error, STATUS_USAGE, "%s: [run] steps = %llu: the run stands at step %llu already; give more",
                     config_place(run->config, "run", "steps"), (unsigned long long) run->plan->settings.steps,
                     (unsigned long long) step);
}

/* Is it about the same? */
static int check_subject(const struct run *run, const struct carried *carried, struct error *error)
{
    struct json_object *now;
    if (carried_subject(run->plan, run->analysis_plan, &now, error) != 0)
        return error->status;
    const int status = carried_check(carried->subject, now, error);
    json_object_put(now);
    return status;
}

/* Reads the state. What is wrong with a checkpoint's file is an error of STATUS_INPUT, and nothing else here is. */
static int read_state(struct run *run, struct restoring *restoring, uint64_t step, struct error *error)
{
    if (open_files(restoring, run, step, error) != 0 || check_subject(run, &restoring->carried, error) != 0 ||
        state_open(run->plan, &run->state, error) != 0)
        return error->status;
    return snapshot_restore(restoring->run, run->state, error);
}

static int check_steps(const struct run *run, struct error *error)
{
    const uint64_t steps = run->plan->settings.steps;
    return run->state->step <= steps ? 0 : run_refuse_steps(run, run->state->step, error);
}

static int restore_files(struct run *run, struct restoring *restoring, uint64_t step, bool *damaged,
                         struct error *error)
{
    int status = read_state(run, restoring, step, error);
    *damaged = status == STATUS_INPUT;
    if (status != 0 || check_steps(run, error) != 0 || find_frame(run, error) != 0 || open_instances(run, error) != 0)
        return error->status;
    status = restore_analysis(run, restoring, error);
    *damaged = status == STATUS_INPUT;
    if (status == 0)
        compare_versions(run, restoring->run);
    return status;
}

int run_restore(struct run *run, const struct options *options, uint64_t step, bool *damaged, struct error *error)
{
    struct restoring restoring = {0};
    *damaged = false;
    int status = check_room(run, step, error);
    if (status == 0)
        status = restore_files(run, &restoring, step, damaged, error);
    if (status == 0)
        status = start_writing(run, options, &restoring.carried.output, error);
    if (status == 0)
        checkpoints_resumed(run->checkpoints);
    carried_release(&restoring.carried);
    snapshot_close(restoring.analysis);
    snapshot_close(restoring.run);
    return status;
}

/* ---- Going ------------------------------------------------------------------------------------------------------ */

/* A word of a command line as a shell takes it. */
static void print_word(const char *word)
{
    const bool plain =
        word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./,:=@%+-")] == '\0';
    fprintf(stderr, plain ? " " : " '");
    for (const char *at = word; *at; at++)
        fprintf(stderr, *at == '\'' ? "'\\''" : "%c", *at);
    fprintf(stderr, plain ? "" : "'");
}

/* After the beginning of a line that says why. */
static void print_resume(const struct run *run, const struct options *options)
{
    fprintf(stderr, " step %llu is saved; to go on: engine resume",
            (unsigned long long) checkpoints_last(run->checkpoints));
    print_word(run->output->folder);
    for (uint32_t i = 0; i < options->folder_count; i++) {
        fprintf(stderr, " --plugins");
        print_word(options->folders[i]);
    }
    fprintf(stderr, "\n");
}

static void print_stopped(const struct run *run, const struct options *options, const struct loop_result *result)
{
    if (result->signal == SIGALRM)
        fprintf(stderr, "engine: the time is up;");
    else
        fprintf(stderr, "engine: stopped by signal %d;", result->signal);
    print_resume(run, options);
}

/* What went wrong, and what is left. */
static int report_failed(const struct run *run, const struct options *options, const struct error *error)
{
    struct error ignored;
    report(error);
    checkpoints_settle(run->checkpoints, true, &ignored);
    if (checkpoints_last(run->checkpoints) != UINT64_MAX) {
        fprintf(stderr, "engine:");
        print_resume(run, options);
    }
    return error->status;
}

int run_go(struct run *run, const struct options *options)
{
    struct loop_result result;
    struct error error;
    struct watch *watch = NULL;
    if (options->watch && watch_open(run->state, &watch, &error) != 0)
        return report(&error);
    const int status = loop_run(run->instance, run->analysis, run->output, run->checkpoints, &result, &error);
    watch_close(watch);
    if (status != 0)
        return report_failed(run, options, &error);
    result.first = run->first;
    if (result.signal != 0)
        print_stopped(run, options, &result);
    if (summary_print(run->instance, run->output, &result, options->json, &error) != 0)
        return report(&error);
    return result.signal ? 128 + result.signal : STATUS_DONE;
}
