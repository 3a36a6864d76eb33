/* engine resume: a run that was stopped or killed goes on. */
#include "config/param.h"
#include "run/checkpoint_files.h"
#include "run/checkpoint_record.h"
#include "run/folder.h"
#include "run/run.h"
#include "watch.h"

#include <ctype.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Goes on with the run that writes into FOLDER, from its newest checkpoint that is whole, or from its beginning "
    "where there is none. Its files become the same as without the interruption.\n"
    "\n"
    "With --set only these may be changed: run.steps, run.implementation, run.threads, run.device, "
    "analyse.implementation, [output], [checkpoint], places of input files, and parameters that change speed alone.\n";

static const char more[] = "Examples:\n"
                           "  engine resume out/soup\n"
                           "  engine resume out/soup --set run.steps=20000        # further than was planned\n"
                           "\n"
                           "Exit status: as of `engine run`; 0 also where the run is at its end already.\n";

/* ---- What may be changed ----------------------------------------------------------------------------------------- */

/* NULL: every key of the section. */
static const struct {
    const char *section, *key;
} changeable[] = {{"run", "steps"},  {"run", "implementation"},     {"run", "threads"},
                  {"run", "device"}, {"analyse", "implementation"}, {"init", "file"},
                  {"output", NULL},  {"checkpoint", NULL},          {"bench", NULL}};

static bool is_tuning(const struct plan *plan, const char *section, const char *key)
{
    const struct engine_param_array *params = &plan->plugin->about.params;
    for (uint32_t i = 0; strcmp(section, plan->plugin->about.name) == 0 && i < params->count; i++)
        if (strcmp(key, params->at[i].name) == 0)
            return params->at[i].flags & ENGINE_PARAM_TUNING;
    return false;
}

static bool is_input(const struct plan *plan, const char *section, const char *key)
{
    const struct engine_field_array *fields = &plan->plugin->about.fields;
    for (uint32_t i = 0; strcmp(section, "init") == 0 && i < fields->count; i++)
        if (strcmp(key, fields->at[i].name) == 0)
            return true;
    return false;
}

static bool may_change(const struct run *run, const char *section, const char *key)
{
    for (size_t i = 0; i < sizeof changeable / sizeof changeable[0]; i++)
        if (strcmp(section, changeable[i].section) == 0 && (!changeable[i].key || strcmp(key, changeable[i].key) == 0))
            return true;
    return is_input(run->plan, section, key) || is_tuning(run->plan, section, key) ||
           (run->analysis_plan && is_tuning(run->analysis_plan, section, key));
}

/* Refuses what --set may not change. The assignments have been read: they are section.key=value. */
static int check_changes(const struct run *run, const struct options *options, struct engine_error *error)
{
    for (uint32_t i = 0; i < options->set_count; i++) {
        char section[128] = "", key[128] = "";
        sscanf(options->set[i], " %127[^. ] . %127[^= ]", section, key);
        for (char *at = section; *at; at++)
            *at = (char) tolower((unsigned char) *at);
        for (char *at = key; *at; at++)
            *at = (char) tolower((unsigned char) *at);
        if (!may_change(run, section, key))
            return error_set(
                error, ENGINE_STATUS_USAGE,
                "--set %s.%s: would make this another run, which begins by `engine run`; what may change is "
                "said by `engine resume --help`",
                section, key);
    }
    return 0;
}

/* ---- Where it stands --------------------------------------------------------------------------------------------- */

/* The summary of a run that has come to its end, and the step it was; NULL: it has not. The caller puts it. */
static struct json_object *find_end(const char *folder, uint64_t *last)
{
    char path[SETTINGS_PATH_MAX + 32];
    struct json_object *step, *signal;
    snprintf(path, sizeof path, "%s/%s", folder, FOLDER_SUMMARY);
    struct json_object *summary = folder_has(folder, FOLDER_SUMMARY) ? json_object_from_file(path) : NULL;
    if (json_object_object_get_ex(summary, "step", &step) && json_object_object_get_ex(summary, "signal", &signal) &&
        !signal) {
        *last = json_object_get_uint64(step);
        return summary;
    }
    json_object_put(summary);
    return NULL;
}

/* `last` is the step at which it ended, and not before the plan's. */
static int say_end(const struct run *run, struct json_object *summary, uint64_t last, const struct options *options,
                   struct engine_error *error)
{
    if (last > run->plan->settings.steps) {
        run_refuse_steps(run, last, error);
        return report(error);
    }
    if (host_verbosity != HOST_QUIET)
        fprintf(stderr, "engine: %s: the run is at its end, step %llu; --set run.steps=… makes it go further\n",
                run->plan->settings.output, (unsigned long long) run->plan->settings.steps);
    if (options->json)
        printf("%s\n",
               json_object_to_json_string_ext(summary, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    return ENGINE_STATUS_DONE;
}

/* ---- Going on ---------------------------------------------------------------------------------------------------- */

static void say(const char *format, const char *folder, uint64_t step)
{
    if (host_verbosity != HOST_QUIET)
        fprintf(stderr, format, folder, (unsigned long long) step);
}

/* From the checkpoint of that step. */
static int resume_from(struct run *run, const struct options *options, const char *path, uint64_t step, bool *damaged,
                       struct engine_error *error)
{
    const char *folder = options->words[0];
    *damaged = false;
    run_release(run);
    if (run_plan(run, options, path, folder, error) != 0 || run_restore(run, options, step, damaged, error) != 0)
        return error->status;
    say("engine: %s: goes on from step %llu\n", folder, step);
    return 0;
}

/* From the newest checkpoint that is whole; else from the beginning. */
static int resume_newest(struct run *run, const struct options *options, const char *path, struct engine_error *error)
{
    const char *folder = options->words[0];
    const bool analysis = run->analysis_plan != NULL;
    bool damaged = true;
    for (uint64_t step = UINT64_MAX; damaged && (step = checkpoint_newest(folder, step, analysis)) != UINT64_MAX;) {
        if (resume_from(run, options, path, step, &damaged, error) == 0)
            return 0;
        if (damaged)
            fprintf(stderr, "engine: %s; looking for an older checkpoint\n", error->text);
    }
    if (!damaged)
        return error->status;
    say("engine: %s: there is no whole checkpoint; begins at step %llu\n", folder, 0);
    run_release(run);
    return run_begin(run, options, path, folder, NULL, error);
}

static int resume_folder(struct run *run, const struct options *options, struct engine_error *error)
{
    const char *folder = options->words[0];
    char path[SETTINGS_PATH_MAX + 32];
    uint64_t last = 0;
    int status;
    snprintf(path, sizeof path, "%s/%s", folder, FOLDER_CONFIG);
    if (run_plan(run, options, path, folder, error) != 0 || check_changes(run, options, error) != 0)
        return report(error);
    struct json_object *summary = find_end(folder, &last);
    if (summary && last >= run->plan->settings.steps)
        status = say_end(run, summary, last, options, error);
    else
        status = resume_newest(run, options, path, error) == 0 ? run_go(run, options) : report(error);
    json_object_put(summary);
    return status;
}

static int check_folder(const char *folder, struct engine_error *error)
{
    if (strlen(folder) >= SETTINGS_PATH_MAX - 64)
        return error_set(error, ENGINE_STATUS_USAGE, "the folder's name is longer than %d characters",
                         SETTINGS_PATH_MAX - 64);
    return folder_check_run(folder, ENGINE_STATUS_USAGE, error);
}

static int resume(int count, char **words)
{
    struct options options;
    struct engine_error error;
    struct run run = {0};
    struct lock *lock = NULL;
    if (options_read(&verb_resume, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    if (options.watch && watch_check(&error) != 0)
        return report(&error);
    if (check_folder(options.words[0], &error) != 0 || lock_take(options.words[0], &lock, &error) != 0)
        return report(&error);
    const int status = resume_folder(&run, &options, &error);
    run_release(&run);
    lock_release(lock);
    return finish_stdout(status);
}

const struct verb verb_resume = {
    .name = "resume",
    .summary = "goes on with a run that was stopped",
    .words = "FOLDER",
    .least = 1,
    .most = 1,
    .options = OPTION_JSON | OPTION_SET | OPTION_WALLTIME | OPTION_WATCH,
    .help = help,
    .more = more,
    .run = resume,
};
