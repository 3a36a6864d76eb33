/* The members of an ensemble: their number, their configurations and their runs. */
#include "ensemble/ensemble.h"
#include "api/handles.h"
#include "base/machine.h"
#include "base/text.h"
#include "config/param.h"
#include "ensemble/freeze.h"
#include "files/json.h"
#include "files/plan_use.h"
#include "parts/link.h"
#include "record/estimate.h"
#include "record/plan_print.h"
#include "record/run_folder.h"
#include "record/section_output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_TRIES = 1000,       /* members that ensemble_plan tries */
    TOGETHER_BYTES = 1 << 26, /* buffers of the members that run at the same time: about what the caches hold */
    DEVICE_AT_ONCE = 8        /* members at most that run on a GPU, if the configuration gives no number */
};

void ensemble_release(struct ensemble *ensemble)
{
    tables_close(&ensemble->tables);
    run_release(&ensemble->first.run);
    sweeps_release(&ensemble->sweeps);
    config_close(ensemble->config);
    if (ensemble->link)
        registry_close(ensemble->registry);
    free(ensemble->parcel.data);
    *ensemble = (struct ensemble){0};
}

/* The number of digits in the names of the members' folders. */
static int ensemble_digits(const struct ensemble *ensemble)
{
    return snprintf(NULL, 0, "%04llu", (unsigned long long) ensemble->count);
}

/* ---- [ensemble] ------------------------------------------------------------------------------------------------ */

enum { KEY_ENSEMBLE_SWEEP, KEY_ENSEMBLE_AT_ONCE, KEYS_OF_ENSEMBLE };

static const struct engine_param section_keys[] = {
    [KEY_ENSEMBLE_SWEEP] = KEY_TEXT("sweep", KEY_SUBJECT | KEY_COMMON | KEY_SEVERAL, "",
                                    "section.key=v1,v2 or section.key=1..100: one member runs for each value; "
                                    "' and ' separates several sweeps, and every combination is a member"),
    [KEY_ENSEMBLE_AT_ONCE] = KEY_INTEGER("at_once", KEY_FREE | KEY_COMMON | KEY_SEVERAL, "0", 0, 1024,
                                         "number of members that run at the same time; 0: the engine chooses"),
};

const struct section ensemble_section = {
    .about = {"ensemble", "many runs side by side, with one table of results", ENGINE_ARRAY(section_keys)}};

/* ---- The plan --------------------------------------------------------------------------------------------------- */

bool ensemble_is_asked(const struct config *config)
{
    const char *sweep = config_get(config, "ensemble", "sweep");
    return sweep && *sweep;
}

static int check_sweep(const struct sweep *sweep, const struct context *context, struct engine_error *error)
{
    for (uint32_t k = 0; k < sweep->key_count; k++)
        if (plugin_name_flags(context, NULL, sweep->keys[k]) & KEY_COMMON)
            return error_set(error, ENGINE_STATUS_USAGE, "%s: all members of an ensemble have the same",
                             sweep->keys[k]);
    return 0;
}

static int read_sweeps(struct ensemble *ensemble, const struct config *config, const struct registry *registry,
                       struct engine_error *error)
{
    char words[CONTEXT_WORDS];
    struct engine_value values[KEYS_OF_ENSEMBLE];
    const struct engine_section *section = &ensemble_section.about;
    if (param_read_section(config, section->name, &section->keys, NULL, NULL, values, error) != 0)
        return error->status;
    ensemble->at_once = (uint32_t) values[KEY_ENSEMBLE_AT_ONCE].integer;
    int status = sweeps_read_list(&ensemble->sweeps, values[KEY_ENSEMBLE_SWEEP].text, error);
    for (uint32_t i = 0; status == 0 && i < ensemble->sweeps.count; i++)
        status = check_sweep(&ensemble->sweeps.at[i], registry_context(registry), error);
    ensemble->count = status == 0 ? sweep_combinations(&ensemble->sweeps) : 0;
    if (status != 0 && config_is_assigned(config, "ensemble", "sweep"))
        error_prefix(error, "%s ", context_words(registry_context(registry), ENGINE_WORDS_OPTION, "sweep", words));
    else if (status != 0)
        error_prefix(error, "%s: [ensemble] sweep: ", config_place(config, "ensemble", "sweep"));
    return status;
}

static bool is_given(const struct config *config, const char *section, const char *key)
{
    const char *text = config_get(config, section, key);
    return text && *text && strcmp(text, "0") != 0;
}

/* Do the members write files? Only if the configuration says when, or in what formats, or asks for checkpoints. */
static bool wants_files(const struct ensemble *ensemble)
{
    static const char *const keys[][2] = {
        {"output", "every"}, {"output", "formats"}, {"checkpoint", "every"}, {"checkpoint", "seconds"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.%s", keys[i][0], keys[i][1]);
        if (is_given(ensemble->config, keys[i][0], keys[i][1]) || sweeps_key(&ensemble->sweeps, name))
            return true;
    }
    return false;
}

/* The folder of a member's files. */
static void member_folder(const struct ensemble *ensemble, uint64_t member, char *path, size_t bytes)
{
    snprintf(path, bytes, "%s/%0*llu", ensemble->first.run.plan->settings.output, ensemble_digits(ensemble),
             (unsigned long long) member);
}

/* Prints the assignment of the GPU. Where several processes share the members, those of a host take its GPUs from [run]
 * device on, one each, or in turn as many as [run] devices says. */
static void print_device(const struct ensemble *ensemble, char assignment[64])
{
    const char *device = config_get(ensemble->config, "run", "device");
    const char *devices = config_get(ensemble->config, "run", "devices");
    const long shared = devices ? strtol(devices, NULL, 10) : 0, number = (long) link_host_rank(ensemble->link);
    snprintf(assignment, 64, "run.device=%ld",
             (device ? strtol(device, NULL, 10) : 0) + (shared > 0 ? number % shared : number));
}

static int set_device(const struct ensemble *ensemble, struct config *config, struct engine_error *error)
{
    char assignment[64];
    if (!ensemble->link)
        return 0;
    print_device(ensemble, assignment);
    return config_set(config, assignment, error) != 0 ? error->status : config_set(config, "run.devices=1", error);
}

/* Makes the configuration of a member, which the caller closes. */
static int member_config(const struct ensemble *ensemble, uint64_t member, struct config **copy,
                         struct engine_error *error)
{
    char assignment[SETTINGS_PATH_MAX + 64] = "run.output=";
    if (config_clone(ensemble->config, copy, error) != 0)
        return error->status;
    int status = sweep_set(&ensemble->sweeps, member - 1, &(struct engine_config){.config = *copy}, error);
    if (status == 0 && ensemble->files && ensemble->first.run.plan) {
        member_folder(ensemble, member, assignment + strlen(assignment), sizeof assignment - strlen(assignment));
        status = config_set(*copy, assignment, error);
    }
    if (status == 0 && ensemble->threads > 0) {
        snprintf(assignment, sizeof assignment, "run.threads=%u", ensemble->threads);
        status = config_set(*copy, assignment, error);
    }
    if (status == 0 && set_device(ensemble, *copy, error) == 0)
        return 0;
    config_close(*copy);
    *copy = NULL;
    return error->status;
}

/* Plans the run of a member, as engine_run_plan does. */
static int plan_member(const struct ensemble *ensemble, uint64_t member, struct registry *registry,
                       struct recorded_run *run, struct engine_error *error)
{
    *run = (struct recorded_run){.run.recorder = &run_recorder};
    if (member_config(ensemble, member, &run->run.owned_config, error) != 0 ||
        run_plan(&run->run, run->run.owned_config, registry, error) != 0)
        return error->status;
    return plan_check_use(run->run.plan, run->analysis_plan, error);
}

/* Plans the first member that can be planned. */
static int plan_first(struct ensemble *ensemble, struct engine_error *error)
{
    struct engine_error why;
    if (plan_member(ensemble, 1, ensemble->registry, &ensemble->first, error) == 0)
        return 0;
    for (uint64_t member = 2; member <= ensemble->count && member <= FIRST_TRIES; member++) {
        run_release(&ensemble->first.run);
        if (plan_member(ensemble, member, ensemble->registry, &ensemble->first, &why) == 0)
            return 0;
    }
    run_release(&ensemble->first.run);
    return error->status;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Chooses how many members run at the same time, and on how many threads each. Small states: one for each thread of the
 * machine. Large ones: fewer, so that together they still fit into the caches. */
static void choose(struct ensemble *ensemble)
{
    const struct plan *plan = ensemble->first.run.plan;
    const bool on_host = plan->impl->memory == ENGINE_HOST_MEMORY;
    const bool given = is_given(ensemble->config, "run", "threads") || sweeps_key(&ensemble->sweeps, "run.threads");
    const uint32_t processors = given ? 0 : link_processors(ensemble->link);
    const uint64_t threads = processors ? processors : plan->settings.threads,
                   bytes = plan->bytes > 0 ? plan->bytes : 1;
    if (ensemble->at_once == 0) {
        const uint64_t fit = TOGETHER_BYTES / bytes;
        const uint64_t most = !on_host ? DEVICE_AT_ONCE : given ? 1 : threads;
        ensemble->at_once = (uint32_t) least(most, fit > 0 ? fit : 1);
    }
    ensemble->at_once = (uint32_t) least(ensemble->at_once, ensemble->count);
    if (!given && on_host)
        ensemble->threads = (uint32_t) (threads / ensemble->at_once > 0 ? threads / ensemble->at_once : 1);
}

/* The members run in one process each, so their plans do not see the others. */
static int leave_others(struct ensemble *ensemble, struct registry *registry, struct engine_error *error)
{
    const struct context *context = registry_context(registry);
    *ensemble = (struct ensemble){.registry = registry, .ranks = link_ranks(context->link)};
    if (!context->link)
        return 0;
    ensemble->alone = *context;
    ensemble->alone.link = NULL;
    ensemble->alone.processes = (struct processes){0};
    if (registry_open(&ensemble->alone, &ensemble->registry, error) != 0)
        return error->status;
    ensemble->link = context->link;
    return 0;
}

int ensemble_plan(struct ensemble *ensemble, const struct config *config, struct registry *registry,
                  struct engine_error *error)
{
    if (leave_others(ensemble, registry, error) != 0)
        return error->status;
    if (read_sweeps(ensemble, config, registry, error) != 0 ||
        ensemble_freeze(config, &ensemble->sweeps, ensemble->registry, &ensemble->config, error) != 0)
        return error->status;
    sweeps_release(&ensemble->sweeps); /* so that the tables have the same values when the ensemble is resumed */
    if (read_sweeps(ensemble, ensemble->config, registry, error) != 0)
        return error->status;
    ensemble->files = wants_files(ensemble);
    if (plan_first(ensemble, error) != 0)
        return error->status;
    char output[SETTINGS_PATH_MAX + 32];
    snprintf(output, sizeof output, "run.output=%s", ensemble->first.run.plan->settings.output);
    if (config_set(ensemble->config, output, error) != 0)
        return error->status;
    choose(ensemble);
    if (!ensemble->files)
        output_settings(ensemble->first.run.plan)->format_count =
            0; /* the estimate and `engine check` then count no files */
    return 0;
}

/* The room for the members that run at the same time, and for the files of all. */
static struct estimate estimate_all(const struct ensemble *ensemble)
{
    struct estimate estimate = estimate_make(ensemble->first.run.plan, ensemble->first.analysis_plan, 0);
    estimate.buffers *= ensemble->at_once;
    estimate.checkpoint *= ensemble->at_once;
    estimate.disk_least *= (double) ensemble->count;
    estimate.disk_most *= (double) ensemble->count;
    return estimate;
}

int ensemble_check_room(const struct ensemble *ensemble, struct engine_error *error)
{
    const struct estimate estimate = estimate_all(ensemble);
    if (estimate_check(&estimate, ensemble->first.run.plan, error) == 0)
        return 0;
    return error_prefix(error, "%u members at once: ", ensemble->at_once);
}

/* ---- Printing the plan ------------------------------------------------------------------------------------------ */

static uint32_t threads_of(const struct ensemble *ensemble)
{
    return ensemble->threads > 0 ? ensemble->threads : plan_threads(ensemble->first.run.plan);
}

static void print_members(FILE *to, const struct ensemble *ensemble)
{
    const struct estimate estimate = estimate_all(ensemble);
    char threads[64], bytes[32], where[128] = "";
    fprintf(to, "\nensemble        %llu members, one for each combination of\n", (unsigned long long) ensemble->count);
    for (uint32_t i = 0; i < ensemble->sweeps.count; i++) {
        const struct sweep *sweep = &ensemble->sweeps.at[i];
        fprintf(to, "%-15s %s: %u value%s, %s to %s\n", "", sweep->name, sweep->count, sweep->count == 1 ? "" : "s",
                sweep->values[0], sweep->values[sweep->count - 1]);
    }
    if (ensemble->ranks > 1)
        snprintf(where, sizeof where, " in each of %u processes, joined by %.64s", ensemble->ranks,
                 link_name(ensemble->link));
    fprintf(to, "at once         %u%s, each on %s, with %sB of buffers together\n", ensemble->at_once, where,
            text_count(threads_of(ensemble), "thread", threads), text_si((double) estimate.buffers, bytes));
    if (ensemble->files)
        fprintf(to, "members' files  in folders of their own, %0*d and so on\n", ensemble_digits(ensemble), 1);
    else
        fprintf(to, "members' files  none; [output] every or formats gives each member a folder with files\n");
}

static int print_text(struct ensemble *ensemble, char **text, struct engine_error *error)
{
    struct recorded_run *first = &ensemble->first;
    char *plan;
    size_t bytes = 0;
    *text = NULL;
    if (plan_print_text(first->run.plan, first->analysis_plan, &plan, error) != 0)
        return error->status;
    FILE *to = open_memstream(text, &bytes);
    if (to) {
        fputs(plan, to);
        print_members(to, ensemble);
    }
    free(plan);
    return to && text_stream_close(to, text) ? 0 : error_memory(error, bytes, "the plan");
}

static struct json_object *members_json(const struct ensemble *ensemble)
{
    struct json_object *json = json_new_object(), *sweeps = json_new_array();
    for (uint32_t i = 0; i < ensemble->sweeps.count; i++) {
        struct json_object *sweep = json_new_object();
        json_add_text(sweep, "keys", ensemble->sweeps.at[i].name);
        json_add_count(sweep, "values", ensemble->sweeps.at[i].count);
        json_append(sweeps, sweep);
    }
    json_add_count(json, "members", ensemble->count);
    json_add(json, "sweeps", sweeps);
    json_add_count(json, "at_once", ensemble->at_once);
    json_add_count(json, "threads", threads_of(ensemble));
    json_add_count(json, "memory_bytes", estimate_all(ensemble).buffers);
    json_add(json, "files", json_new_flag(ensemble->files));
    return json;
}

int ensemble_print_plan(struct ensemble *ensemble, bool as_json, char **text, struct engine_error *error)
{
    struct recorded_run *first = &ensemble->first;
    struct json_object *json;
    if (!as_json)
        return print_text(ensemble, text, error);
    if (plan_print_json(first->run.plan, first->analysis_plan, text, error) != 0)
        return error->status;
    const int status = json_parse_object(*text, strlen(*text), &json, error);
    free(*text);
    *text = NULL;
    if (status != 0)
        return status;
    json_add(json, "ensemble", members_json(ensemble));
    return json_take_lines(json, text, error);
}

/* ---- The folder ------------------------------------------------------------------------------------------------- */

/* The first line of ensemble.csv. */
static char *make_header(const struct ensemble *ensemble)
{
    const struct recorded_run *first = &ensemble->first;
    const struct plan *const plans[] = {first->run.plan, first->analysis_plan};
    char *header = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&header, &bytes);
    if (!to)
        return NULL;
    fputs("member,", to);
    for (uint32_t i = 0; i < ensemble->sweeps.count; i++)
        for (uint32_t k = 0; k < ensemble->sweeps.at[i].key_count; k++)
            fprintf(to, "%s,", ensemble->sweeps.at[i].keys[k]);
    fputs("state,steps,seconds,", to);
    for (int p = 0; p < 2 && plans[p]; p++) {
        const struct engine_plugin *about = &plans[p]->plugin->about;
        for (uint32_t i = 0; i < about->metrics.count; i++)
            fprintf(to, "%s%s%s,", p ? about->name : "", p ? "." : "", about->metrics.at[i].name);
        fprintf(to, "%s%shash,", p ? about->name : "", p ? "." : "");
    }
    fputs("ended,error\n", to);
    text_stream_close(to, &header);
    return header;
}

/* The names of the files of metrics over time; "": that plan has no metrics. */
static void name_series(const struct ensemble *ensemble, char names[TABLE_SERIES][192])
{
    const struct plan *const plans[TABLE_SERIES] = {ensemble->first.run.plan, ensemble->first.analysis_plan};
    for (int p = 0; p < TABLE_SERIES; p++) {
        const bool measured = plans[p] && plans[p]->plugin->about.metrics.count > 0 && plans[p]->impl->measure;
        if (!measured)
            names[p][0] = '\0';
        else if (p == 0)
            snprintf(names[p], 192, "%s", FOLDER_METRICS);
        else
            snprintf(names[p], 192, "%.128s-metrics.csv", plans[p]->plugin->about.name);
    }
}

static int begin_tables(struct ensemble *ensemble, struct engine_error *error)
{
    char names[TABLE_SERIES][192];
    name_series(ensemble, names);
    const char *const series[TABLE_SERIES] = {names[0], names[1]};
    return tables_begin(&ensemble->tables, ensemble->first.folder, make_header(ensemble), ensemble->count, series,
                        error);
}

int ensemble_open(struct ensemble *ensemble, bool force, struct engine_error *error)
{
    struct recorded_run *first = &ensemble->first;
    if (ensemble_check_room(ensemble, error) != 0 || recorded_claim_folder(first, force, error) != 0 ||
        run_folder_clean(first->folder, error) != 0 ||
        freeze_write(ensemble->config, first->run.plan, first->folder, error) != 0)
        return error->status;
    ensemble->opened = machine_clock();
    return begin_tables(ensemble, error);
}

/* ---- Resuming --------------------------------------------------------------------------------------------------- */

/* Tells whether the swept values of a row are those of its member. */
static bool has_values(const void *user, uint64_t member, const char *line)
{
    const struct ensemble *ensemble = user;
    char cell[2048];
    bool same = tables_cell(&line, cell, sizeof cell);
    for (uint32_t i = 0; i < ensemble->sweeps.count; i++) {
        const struct sweep *sweep = &ensemble->sweeps.at[i];
        const char *value = sweep_value(&ensemble->sweeps, i, member - 1);
        for (uint32_t k = 0; same && k < sweep->key_count; k++) {
            const size_t length = sweep->key_count > 1 ? strcspn(value, ":") : strlen(value);
            same = tables_cell(&line, cell, sizeof cell) && strlen(cell) == length && strncmp(cell, value, length) == 0;
            value += length + 1;
        }
    }
    return same;
}

static int resume_tables(struct ensemble *ensemble, struct engine_error *error)
{
    char names[TABLE_SERIES][192];
    name_series(ensemble, names);
    const char *const series[TABLE_SERIES] = {names[0], names[1]};
    if (run_folder_clean(ensemble->first.folder, error) != 0 ||
        tables_resume(&ensemble->tables, ensemble->first.folder, make_header(ensemble), ensemble->count, series,
                      has_values, ensemble, error) != 0)
        return error->status;
    ensemble->found = ensemble->tables.count;
    ensemble->opened = machine_clock();
    ensemble->resumed = true;
    return 0;
}

/* Reads the configuration of a folder, which has a lock, and copies it with the assignments. */
static int open_config(const struct folder *folder, const char *const *assignments, uint32_t count,
                       struct registry *registry, struct config **before, struct config **config,
                       struct engine_error *error)
{
    char path[SETTINGS_PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/" FOLDER_CONFIG, folder->path);
    if (config_open(path, before, error) != 0 ||
        freeze_check(*before, folder, registry_context(registry), error) != 0 ||
        config_clone(*before, config, error) != 0)
        return error->status;
    config_set_context(*config, registry_context(registry));
    for (uint32_t i = 0; i < count; i++)
        if (config_set(*config, assignments[i], error) != 0)
            return error->status;
    if (freeze_check_changes(*before, *config, assignments, count, folder->path, registry, error) != 0)
        return error->status;
    snprintf(path, sizeof path, "run.output=%s", folder->path); /* the folder may have been moved */
    return config_set(*config, path, error);
}

/* Takes the folder and its lock for an ensemble whose plan is made. */
static int go_on(struct ensemble *ensemble, const struct config *config, struct folder *folder, struct lock *lock,
                 struct registry *registry, struct engine_error *error)
{
    const int status = ensemble_plan(ensemble, config, registry, error);
    if (status != 0) {
        lock_release(lock);
        folder_close(folder);
        return status;
    }
    ensemble->first.folder = folder;
    ensemble->first.lock = lock;
    return ensemble_check_room(ensemble, error) != 0 ? error->status : resume_tables(ensemble, error);
}

int ensemble_resume(struct ensemble *ensemble, const char *path, const char *const *assignments, uint32_t count,
                    struct registry *registry, bool *found, struct engine_error *error)
{
    struct folder *folder = NULL;
    struct lock *lock = NULL;
    struct config *before = NULL, *config = NULL;
    *ensemble = (struct ensemble){0};
    *found = false;
    if (strlen(path) >= SETTINGS_PATH_MAX - 64)
        return error_set(error, ENGINE_STATUS_USAGE, "the path of the folder has more than %d bytes",
                         SETTINGS_PATH_MAX - 65);
    int status = run_folder_open(path, ENGINE_STATUS_USAGE, &folder, error);
    if (status == 0)
        status = freeze_is_ensemble(folder, found, error);
    if (status == 0 && *found)
        status = lock_take(registry_context(registry), folder, &lock, error);
    if (status == 0 && *found)
        status = open_config(folder, assignments, count, registry, &before, &config, error);
    if (status == 0 && *found)
        status = go_on(ensemble, config, folder, lock, registry, error);
    else {
        lock_release(lock);
        folder_close(folder);
    }
    config_close(before);
    config_close(config);
    return status;
}

/* ---- Members ---------------------------------------------------------------------------------------------------- */

uint64_t ensemble_missing(const struct ensemble *ensemble, uint64_t member)
{
    for (member++; member <= ensemble->count; member++)
        if (!tables_is_done(&ensemble->tables, member))
            return member;
    return 0;
}

uint64_t ensemble_take(struct ensemble *ensemble)
{
    const uint64_t member = ensemble_missing(ensemble, ensemble->taken);
    ensemble->taken = member ? member : ensemble->count;
    return member;
}

/* Continues the run in the folder of a member. run->plan stays NULL if there is no run, or if it had ended: then its
 * row is missing or says that it failed, and the member runs again. */
static int resume_member(const struct ensemble *ensemble, const char *path, struct registry *registry,
                         struct recorded_run *run, struct engine_error *error)
{
    char device[64];
    const char *const assignments[] = {device};
    struct folder *folder;
    struct engine_error ignored;
    char *summary = NULL;
    if (run_folder_open(path, ENGINE_STATUS_USAGE, &folder, &ignored) != 0)
        return 0;
    folder_close(folder);
    print_device(ensemble, device);
    const int status = recorded_resume(run, path, assignments, ensemble->link != NULL, registry, &summary, error);
    if (summary)
        run_release(&run->run);
    free(summary);
    return status;
}

int ensemble_member(const struct ensemble *ensemble, uint64_t member, struct registry *registry,
                    struct recorded_run *run, struct engine_error *error)
{
    char path[SETTINGS_PATH_MAX + 32];
    member_folder(ensemble, member, path, sizeof path);
    if (ensemble->files && ensemble->resumed && resume_member(ensemble, path, registry, run, error) != 0)
        return error->status;
    const bool resumed = run->run.plan != NULL;
    if (!resumed && plan_member(ensemble, member, registry, run, error) != 0)
        return error->status;
    run->flags = ensemble->files ? ENGINE_RUN_FORCE : ENGINE_RUN_NO_FILES;
    /* ensemble_check_room has counted members of this size; to look again costs as much as a small member. */
    run->has_room = !resumed && !ensemble->files && run->run.plan->bytes <= ensemble->first.run.plan->bytes;
    return 0;
}
