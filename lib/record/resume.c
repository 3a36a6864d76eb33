/* Resuming: a run continues from the newest complete checkpoint in its folder. */
#include "base/context.h"
#include "files/init_files.h"
#include "files/json.h"
#include "files/run_folder.h"
#include "plugin/registry.h"
#include "record/checkpoint_files.h"
#include "record/checkpoint_record.h"
#include "record/recorded_run.h"
#include "record/section_checkpoint.h"
#include "record/snapshot.h"
#include "run/state_hash.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The arguments of recorded_resume. */
struct request {
    const char *folder;
    const char *const *assignments;
    uint32_t count;
    struct registry *registry;
};

/* ---- The keys that can change ------------------------------------------------------------------------------ */

static bool decides_bits(const struct plan *plan, const char *section, const char *key)
{
    const struct engine_param_array *params = &plan->plugin->about.params;
    for (uint32_t i = 0; strcmp(section, plan->plugin->about.name) == 0 && i < params->count; i++)
        if (strcmp(key, params->at[i].name) == 0)
            return plugin_param_decides_bits(plan->impl, &params->at[i]);
    return false;
}

/* Before the run is planned, keys of fields and plugins, and unknown keys, pass. */
static bool may_change(const struct recorded_run *recorded, const struct context *context, const char *section,
                       const char *key)
{
    const uint32_t may = KEY_FREE | KEY_EXTENT | KEY_IMPLEMENTATION | KEY_PATH, own = keys_flags(context, section, key);
    if (own || !recorded->run.plan)
        return !own || own & may;
    const struct plan *const plans[] = {recorded->run.plan, recorded->analysis_plan};
    for (int i = 0; i < 2 && plans[i]; i++)
        if (plugin_key_flags(context, &plans[i]->plugin->about, section, key) & may ||
            decides_bits(plans[i], section, key))
            return true;
    return false;
}

static int check_change(const struct recorded_run *recorded, const struct request *request, const char *section,
                        const char *key, struct engine_error *error)
{
    const struct context *context = registry_context(request->registry);
    char name[257], words[CONTEXT_WORDS], clause[CONTEXT_WORDS];
    snprintf(name, sizeof name, "%s.%s", section, key);
    if (strcmp(section, "run") == 0 && strcmp(key, "output") == 0)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%s: a resumed run goes on in its own folder; to continue it in another one, copy or move the "
                         "folder %s, and resume the run in the new place",
                         context_words(context, ENGINE_WORDS_KEY, name, words), request->folder);
    if (may_change(recorded, context, section, key))
        return 0;
    return error_set(error, ENGINE_STATUS_USAGE, "%s: a resumed run cannot change this key%s",
                     context_words(context, ENGINE_WORDS_KEY, name, words),
                     context_clause(context, ENGINE_WORDS_CHANGES, "run", clause));
}

/* Checks that the assignments only change keys that may change. It is called before the run is planned with the
 * assignments, so that a change which makes no sense is not reported as another error, and once more with its plan. */
static int check_changes(const struct recorded_run *recorded, const struct request *request, struct engine_error *error)
{
    for (uint32_t i = 0; i < request->count; i++) {
        char section[128] = "", key[128] = "";
        sscanf(request->assignments[i], " %127[^. ] . %127[^= ]", section, key);
        for (char *at = section; *at; at++)
            *at = (char) tolower((unsigned char) *at);
        for (char *at = key; *at; at++)
            *at = (char) tolower((unsigned char) *at);
        if (check_change(recorded, request, section, key, error) != 0)
            return error->status;
    }
    return 0;
}

/* ---- A checkpoint ----------------------------------------------------------------------------------------------- */

/* Moves the files of frames to the frame of the last step, and checks that it is the frame in the checkpoint. */
static int find_frame(struct recorded_run *recorded, struct engine_error *error)
{
    char saved[HASH_TEXT], read[HASH_TEXT], words[CONTEXT_WORDS];
    const uint64_t step = recorded->run.state->step;
    if (recorded->run.plan->frames == 1 || step < 2)
        return 0;
    if (state_hash(recorded->run.state, HASH_INPUTS, saved, error) != 0 ||
        init_next_frame(recorded->run.state, step - 1, error) != 0 ||
        state_hash(recorded->run.state, HASH_INPUTS, read, error) != 0)
        return error->status;
    return strcmp(saved, read) == 0
               ? 0
               : error_set(error, ENGINE_STATUS_INPUT,
                           "%s: frame %llu differs from the frame that the run has already read; "
                           "give the same input file with %s=…",
                           recorded->run.plan->settings.file, (unsigned long long) step - 1,
                           context_words(recorded->run.plan->context, ENGINE_WORDS_KEY, "init.file", words));
}

/* The open files of a checkpoint, and its record. */
struct open_checkpoint {
    struct snapshot *run, *analysis;
    struct checkpoint_record record;
};

static int open_snapshot(const struct folder *folder, uint64_t step, bool analysis, struct snapshot **snapshot,
                         bool *damaged, struct engine_error *error)
{
    char name[CHECKPOINT_NAME];
    return snapshot_open_in(folder, checkpoint_name(step, analysis, name), snapshot, damaged, error);
}

/* Checks that a snapshot of the checkpoint is of the step that it should be of. */
static int check_step(const struct snapshot *snapshot, uint64_t wanted, struct engine_error *error)
{
    const uint64_t held = snapshot_header(snapshot)->step;
    return held == wanted ? 0
                          : error_set(error, ENGINE_STATUS_INPUT, "holds step %llu, expected step %llu",
                                      (unsigned long long) held, (unsigned long long) wanted);
}

/* Checks that both snapshots are of the same checkpoint: they have the same record. The step of an analysis is that of
 * its last frame. Older engines wrote {} for the record of the analysis. */
static int check_pair(const struct open_checkpoint *checkpoint, struct engine_error *error)
{
    const char *record = snapshot_header(checkpoint->analysis)->extra;
    const uint64_t last = checkpoint->record.analysis_last;
    if (strcmp(record, "{}") != 0 && strcmp(record, snapshot_header(checkpoint->run)->extra) != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "belongs to another checkpoint than the file of the run");
    return check_step(checkpoint->analysis, last == UINT64_MAX ? 0 : last, error);
}

static int open_files(struct open_checkpoint *checkpoint, const struct recorded_run *recorded, uint64_t step,
                      bool *damaged, struct engine_error *error)
{
    char name[CHECKPOINT_NAME];
    if (open_snapshot(recorded->folder, step, false, &checkpoint->run, damaged, error) != 0 ||
        (recorded->analysis_plan &&
         open_snapshot(recorded->folder, step, true, &checkpoint->analysis, damaged, error) != 0))
        return error->status;
    int status = check_step(checkpoint->run, step, error);
    if (status == 0)
        status = record_read(recorded->run.plan->context, snapshot_header(checkpoint->run)->extra, step,
                             &checkpoint->record, error);
    const bool pair = status == 0 && checkpoint->analysis;
    if (pair)
        status = check_pair(checkpoint, error);
    *damaged = status == ENGINE_STATUS_INPUT;
    return status == 0 ? 0 : error_prefix(error, "%s/%s: ", recorded->folder->path, checkpoint_name(step, pair, name));
}

static int restore_analysis(const struct recorded_run *recorded, const struct open_checkpoint *checkpoint,
                            bool *damaged, struct engine_error *error)
{
    struct analysis *analysis = recorded->analysis;
    if (!analysis)
        return 0;
    analysis->frames = checkpoint->record.analysis_frames;
    analysis->last = checkpoint->record.analysis_last;
    instance_state_changed(analysis->instance);
    return snapshot_restore(checkpoint->analysis, analysis->state, damaged, error);
}

/* Warns if another version of the plugin wrote the checkpoint. */
static void compare_versions(const struct recorded_run *recorded, const struct snapshot *snapshot)
{
    const char *then = snapshot_header(snapshot)->plugin_version, *now = recorded->run.plan->plugin->about.version;
    if (strcmp(then, now) != 0)
        context_message(recorded->run.plan->context, ENGINE_LOG_WARNING,
                        "%s %s wrote the checkpoint, and this is version %s; results may differ",
                        recorded->run.plan->plugin->about.name, then, now);
}

/* Checks that the run that is asked for ends no earlier than at a step that the run has reached. */
static int check_steps(const struct recorded_run *recorded, uint64_t step, struct engine_error *error)
{
    if (step <= recorded->run.plan->settings.steps)
        return 0;
    return error_set(error, ENGINE_STATUS_USAGE,
                     "%s: [run] steps = %llu: the run has already reached step %llu; give a larger number",
                     config_place(recorded->run.plan->config, "run", "steps"),
                     (unsigned long long) recorded->run.plan->settings.steps, (unsigned long long) step);
}

/* A run of particles without a box goes on without one, although this engine finds a box: the plugin chooses it, or the
 * reader of the file takes it for periodic. Older engines did neither. */
static void keep_open(struct recorded_run *recorded, const double then[6])
{
    static const double open[6] = {0};
    struct plan *plan = recorded->run.plan, *analysis = recorded->analysis_plan;
    if (memcmp(then, open, sizeof open) != 0 || plan->settings.box_given)
        return;
    plan->settings.box_given = memcmp(plan->for_plugin.box, open, sizeof open) != 0;
    memcpy(plan->found.box, open, sizeof open);
    memcpy(plan->for_plugin.box, open, sizeof open);
    if (analysis)
        memcpy(analysis->for_plugin.box, open, sizeof open);
}

/* Checks that the checkpoint belongs to the run that the configuration describes. */
static int check_identity(const struct recorded_run *recorded, const struct checkpoint_record *record,
                          struct engine_error *error)
{
    return identity_check(record->identity, recorded->run.plan, recorded->analysis_plan, error);
}

/* Checks that the instances compute the same bits as those that wrote the checkpoint, or warns if they may differ. */
static int check_bits(struct recorded_run *recorded, const struct checkpoint_record *record, struct engine_error *error)
{
    struct json_object *now;
    char words[CONTEXT_WORDS];
    recorded->earlier = json_object_get(record->earlier);
    if (record_computed(recorded->run.instance, recorded->analysis, &now, error) != 0)
        return error->status;
    int status = record->computed ? record_check_bits(record->computed, now, error) : 0;
    json_object_put(now);
    if (status != ENGINE_STATUS_USAGE)
        return status;
    const struct engine_error difference = *error;
    if (!checkpoint_settings(recorded->run.plan)->any_bits)
        return error_set(error, ENGINE_STATUS_USAGE,
                         "%.1024s; choose as before, if this machine can do so, or continue with other bits by %s=any",
                         difference.text,
                         context_words(recorded->run.plan->context, ENGINE_WORDS_KEY, "checkpoint.bits", words));
    context_message(recorded->run.plan->context, ENGINE_LOG_WARNING, "%s", difference.text);
    json_object_put(recorded->earlier);
    return record_add_earlier(record, recorded->run.state->step, &recorded->earlier, error);
}

/* Opens the state and reads it from the checkpoint. */
static int read_state(struct recorded_run *recorded, struct open_checkpoint *checkpoint, uint64_t step, bool *damaged,
                      struct engine_error *error)
{
    if (open_files(checkpoint, recorded, step, damaged, error) != 0)
        return error->status;
    keep_open(recorded, snapshot_header(checkpoint->run)->box);
    if (check_identity(recorded, &checkpoint->record, error) != 0 || check_steps(recorded, step, error) != 0 ||
        recorded_check_room(recorded, step, error) != 0 ||
        state_open(recorded->run.plan, &recorded->run.state, error) != 0)
        return error->status;
    return snapshot_restore(checkpoint->run, recorded->run.state, damaged, error);
}

static int restore_files(struct recorded_run *recorded, struct open_checkpoint *checkpoint, uint64_t step,
                         bool *damaged, struct engine_error *error)
{
    if (read_state(recorded, checkpoint, step, damaged, error) != 0 || find_frame(recorded, error) != 0 ||
        run_open_instance(&recorded->run, error) != 0 || check_bits(recorded, &checkpoint->record, error) != 0)
        return error->status;
    const int status = restore_analysis(recorded, checkpoint, damaged, error);
    if (status == 0)
        compare_versions(recorded, checkpoint->run);
    return status;
}

/* *damaged: the error is that the bytes of the checkpoint's files are wrong. */
static int restore(struct recorded_run *recorded, uint64_t step, bool *damaged, struct engine_error *error)
{
    struct open_checkpoint checkpoint = {0};
    *damaged = false;
    int status = restore_files(recorded, &checkpoint, step, damaged, error);
    if (status == 0)
        status = recorded_open_files(recorded, &checkpoint.record, error);
    if (status == 0)
        status = checkpoints_resumed(recorded->checkpoints, error);
    record_release(&checkpoint.record);
    snapshot_close(checkpoint.analysis);
    snapshot_close(checkpoint.run);
    return status;
}

/* Reads the summary of a run that has ended, its last step, and the condition that ended it, or NULL, which lives as
 * long as the summary. *summary is NULL if the run has not ended. The caller calls json_object_put. */
static int read_final_summary(const struct folder *folder, struct json_object **summary, uint64_t *last,
                              const char **ended, struct engine_error *error)
{
    struct json_object *json, *signal, *condition;
    *summary = NULL;
    *ended = NULL;
    if (run_folder_read_summary(folder, &json, error) != 0)
        return error->status;
    if (json_member(json, "step", json_type_int) && json_object_object_get_ex(json, "signal", &signal) && !signal) {
        *last = json_object_get_uint64(json_member(json, "step", json_type_int));
        *summary = json_object_get(json);
        condition = json_member(json, "ended", json_type_string);
        *ended = condition ? json_object_get_string(condition) : NULL;
    }
    json_object_put(json);
    return 0;
}

/* ---- A folder --------------------------------------------------------------------------------------------------- */

/* Plans the run from the configuration in the folder and the assignments. */
static int open_plan(struct recorded_run *recorded, const struct request *request, struct engine_error *error)
{
    char path[SETTINGS_PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", request->folder, FOLDER_CONFIG);
    if (config_open(path, &recorded->run.owned_config, error) != 0)
        return error->status;
    config_set_context(recorded->run.owned_config, registry_context(request->registry));
    for (uint32_t i = 0; i < request->count; i++)
        if (config_set(recorded->run.owned_config, request->assignments[i], error) != 0)
            return error->status;
    /* The folder may have been moved. If not, its name stays as it was, and so do all files that hold it. */
    const char *given = config_get(recorded->run.owned_config, "run", "output");
    if (!(given && folder_is_at(recorded->folder, given)) &&
        config_put(recorded->run.owned_config, "run", "output", request->folder, error) != 0)
        return error->status;
    return run_plan(&recorded->run, recorded->run.owned_config, request->registry, error);
}

/* Closes everything except the folder and its lock, and plans the run again. */
static int plan_again(struct recorded_run *recorded, const struct request *request, struct engine_error *error)
{
    struct folder *folder = recorded->folder;
    struct lock *lock = recorded->lock;
    recorded->folder = NULL;
    recorded->lock = NULL;
    run_release(&recorded->run);
    recorded->folder = folder;
    recorded->lock = lock;
    return open_plan(recorded, request, error);
}

/* Starts the run from its beginning. Where there were checkpoints, that is for the user to decide. */
static int begin_again(struct recorded_run *recorded, const struct request *request, struct engine_error *error)
{
    const char *folder = request->folder;
    char words[CONTEXT_WORDS];
    const char *restart = context_said(registry_context(request->registry), ENGINE_WORDS_RESTART, folder, words);
    bool found;
    if (checkpoint_has_damaged(recorded->folder, &found, error) != 0)
        return error->status;
    if (found)
        return error_set(error, ENGINE_STATUS_INPUT,
                         "%s: all checkpoints are damaged, and set aside as %s/damaged-checkpoint-*; put undamaged "
                         "copies back, or begin at step 0%s%s",
                         folder, folder, restart ? " with: " : "", restart ? restart : "");
    context_message(registry_context(request->registry), ENGINE_LOG_INFO,
                    "%s: there is no checkpoint, so the run starts from step 0", folder);
    return run_start(&recorded->run, error) != 0 ? error->status : recorded_open_files(recorded, NULL, error);
}

static int set_aside(const struct recorded_run *recorded, const struct context *context, uint64_t step,
                     struct engine_error *error)
{
    const struct engine_error why = *error;
    char name[CHECKPOINT_NAME];
    if (checkpoint_set_aside(recorded->folder, step, error) != 0)
        return error->status;
    context_message(context, ENGINE_LOG_ERROR, "%s; this checkpoint is set aside as damaged-%s", why.text,
                    checkpoint_name(step, false, name));
    return 0;
}

/* Tries the checkpoints from the newest to the oldest, as long as they are damaged. Any other error ends it: a
 * checkpoint that cannot be read now may be whole. */
static int resume_newest(struct recorded_run *recorded, const struct request *request, struct engine_error *error)
{
    const struct context *context = registry_context(request->registry);
    uint64_t step = UINT64_MAX;
    for (;;) {
        bool damaged = false;
        if (checkpoint_newest(recorded->folder, step, recorded->analysis_plan != NULL, &step, error) != 0)
            return error->status;
        if (step == UINT64_MAX)
            return begin_again(recorded, request, error);
        if (restore(recorded, step, &damaged, error) == 0)
            break;
        if (!damaged || set_aside(recorded, context, step, error) != 0 || plan_again(recorded, request, error) != 0)
            return error->status;
    }
    context_message(context, ENGINE_LOG_INFO, "%s: the run continues from step %llu", request->folder,
                    (unsigned long long) step);
    return 0;
}

/* Hands out the summary of a run that has ended. */
static int take_summary(const struct recorded_run *recorded, struct json_object *json, uint64_t last, const char *ended,
                        char **summary, struct engine_error *error)
{
    char words[CONTEXT_WORDS];
    if (check_steps(recorded, last, error) != 0)
        return error->status;
    context_message(
        recorded->run.plan->context, ENGINE_LOG_INFO, "%s: the run has ended at step %llu%s%s; %s=… continues it",
        recorded->run.plan->settings.output, (unsigned long long) last, ended ? ", " : "", ended ? ended : "",
        context_words(recorded->run.plan->context, ENGINE_WORDS_KEY, ended ? "run.until" : "run.steps", words));
    const char *text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
    if (!text || asprintf(summary, "%s\n", text) < 0)
        *summary = NULL;
    return *summary ? 0 : error_memory(error, 4096, "the summary");
}

int recorded_resume(struct recorded_run *recorded, const char *folder, const char *const *assignments, uint32_t count,
                    struct registry *registry, char **summary, struct engine_error *error)
{
    const struct request request = {folder, assignments, count, registry};
    uint64_t last = 0;
    *summary = NULL;
    if (strlen(folder) >= SETTINGS_PATH_MAX - 64)
        return error_set(error, ENGINE_STATUS_USAGE, "the path of the folder has more than %d bytes",
                         SETTINGS_PATH_MAX - 65);
    struct json_object *final = NULL;
    const char *ended;
    if (run_folder_open(folder, &recorded->folder, error) != 0 ||
        lock_take(registry_context(registry), recorded->folder, &recorded->lock, error) != 0 ||
        check_changes(recorded, &request, error) != 0 || open_plan(recorded, &request, error) != 0 ||
        check_changes(recorded, &request, error) != 0 ||
        read_final_summary(recorded->folder, &final, &last, &ended, error) != 0)
        return error->status;
    const bool holds = ended && !config_is_assigned(recorded->run.owned_config, "run", "until");
    const int status = final && (holds || last >= recorded->run.plan->settings.steps)
                           ? take_summary(recorded, final, last, ended, summary, error)
                           : resume_newest(recorded, &request, error);
    json_object_put(final);
    return status;
}
