/* The members of an ensemble: their number, their configurations and their runs. */
#include "ensemble/ensemble.h"
#include "base/error.h"
#include "base/machine.h"
#include "base/text.h"
#include "config/keys.h"
#include "ensemble/exchange_terms.h"
#include "ensemble/freeze.h"
#include "ensemble/groups.h"
#include "ensemble/section_ensemble.h"
#include "ensemble/terms.h"
#include "ensemble/words.h"
#include "files/json.h"
#include "files/run_folder.h"

#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FIRST_TRIES = 1000,       /* members that ensemble_plan tries */
    HOST_WORK = 1 << 12,      /* cells of members that batches on a CPU compute faster than those on a GPU */
    TOGETHER_BYTES = 1 << 26, /* buffers of the members that run at the same time: about what the caches hold */
    DEVICE_AT_ONCE = 4,       /* members at most that run on a GPU, if the configuration gives no number */
    DEVICE_BATCHES = 8        /* the same of batches, which leave more work to the host */
};

void ensemble_release(struct ensemble *ensemble)
{
    tables_close(&ensemble->tables);
    folder_close(ensemble->folder);
    engine_run_close(ensemble->first);
    sweeps_release(&ensemble->sweeps);
    engine_config_close(ensemble->config);
    if (ensemble->context != ensemble->caller)
        engine_close(ensemble->context);
    free(ensemble->packed.data);
    *ensemble = (struct ensemble){0};
}

uint32_t ensemble_ranks(const struct ensemble *ensemble)
{
    return ensemble->transport ? ensemble->transport->ranks : 1;
}

/* The number of digits in the names of the members' folders. */
static int ensemble_digits(const struct ensemble *ensemble)
{
    return snprintf(NULL, 0, "%04llu", (unsigned long long) ensemble->count);
}

struct engine_value ensemble_run_key(const struct ensemble *ensemble, uint32_t key)
{
    const struct engine_param *param = &keys_sections[KEYS_RUN].keys.at[key];
    const char *text = engine_config_get(ensemble->config, "run", param->name);
    struct engine_value value = {.text = NULL};
    struct engine_error ignored; /* the plan of a member reports it */
    engine_parse(param, text && *text ? text : param->initial, &value, &ignored);
    return value;
}

/* ---- The plan --------------------------------------------------------------------------------------------------- */

bool ensemble_is_asked(const struct engine_config *config)
{
    const char *sweep = engine_config_get(config, "ensemble", "sweep");
    return sweep && *sweep;
}

static int check_sweep(const struct sweep *sweep, struct engine_error *error)
{
    for (uint32_t k = 0; k < sweep->key_count; k++)
        if (freeze_flags(NULL, sweep->keys[k]) & KEY_COMMON)
            return error_set(error, ENGINE_STATUS_USAGE, "%s: all members of an ensemble have the same",
                             sweep->keys[k]);
    return 0;
}

static int read_sweeps(struct ensemble *ensemble, const struct engine_config *config, struct engine_error *error)
{
    char words[WORDS];
    struct engine_value values[KEYS_OF_ENSEMBLE];
    if (engine_config_values(config, &ensemble_section.about, values, error) != 0)
        return error->status;
    ensemble->at_once = (uint32_t) values[KEY_ENSEMBLE_AT_ONCE].integer;
    ensemble->batch = (uint32_t) values[KEY_ENSEMBLE_BATCH].integer;
    ensemble->exchange = (uint64_t) values[KEY_ENSEMBLE_EXCHANGE].integer;
    int status = sweeps_read_list(&ensemble->sweeps, values[KEY_ENSEMBLE_SWEEP].text, error);
    for (uint32_t i = 0; status == 0 && i < ensemble->sweeps.count; i++)
        status = check_sweep(&ensemble->sweeps.at[i], error);
    ensemble->count = status == 0 ? sweep_combinations(&ensemble->sweeps) : 0;
    if (status != 0 && engine_config_is_assigned(config, "ensemble", "sweep"))
        error_prefix(error, "%s ", words_of(ensemble->caller, ENGINE_WORDS_OPTION, "sweep", words));
    else if (status != 0)
        error_prefix(error, "%s: [ensemble] sweep: ", engine_config_place(config, "ensemble", "sweep"));
    return status;
}

static bool is_given(const struct engine_config *config, const char *section, const char *key)
{
    const char *text = engine_config_get(config, section, key);
    return text && *text && strcmp(text, "0") != 0;
}

/* Do the members write files? Only if the configuration says when, or in what formats, or asks for hashes or
 * checkpoints. */
static bool wants_files(const struct ensemble *ensemble)
{
    static const char *const keys[][2] = {{"output", "every"},
                                          {"output", "formats"},
                                          {"output", "hash_every"},
                                          {"checkpoint", "every"},
                                          {"checkpoint", "seconds"}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char name[32];
        snprintf(name, sizeof name, "%s.%s", keys[i][0], keys[i][1]);
        if (is_given(ensemble->config, keys[i][0], keys[i][1]) || sweeps_key(&ensemble->sweeps, name))
            return true;
    }
    return false;
}

/* The folder of a member's files. */
static void member_folder(const struct ensemble *ensemble, uint64_t member, char path[ENSEMBLE_PATH_MAX + 32])
{
    snprintf(path, ENSEMBLE_PATH_MAX + 32, "%s/%0*llu", engine_run_folder(ensemble->first), ensemble_digits(ensemble),
             (unsigned long long) member);
}

/* The number of the GPU. Where several processes share the members, those of a host take its GPUs from [run] device on,
 * one each, or in turn as many as [run] devices says. */
static long long device_of(const struct ensemble *ensemble)
{
    const uint32_t number = ensemble->transport->host_rank;
    const int64_t first = ensemble_run_key(ensemble, KEY_RUN_DEVICE).integer;
    return first + (is_given(ensemble->config, "run", "devices")
                        ? number % ensemble_run_key(ensemble, KEY_RUN_DEVICES).integer
                        : number);
}

static int put_number(struct engine_config *config, const char *key, long long number, struct engine_error *error)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", number);
    return engine_config_put(config, "run", key, text, error);
}

/* Sets what differs from the configuration of the ensemble. `placed`: also the GPU, which depends on the process. */
static int set_member(const struct ensemble *ensemble, uint64_t member, bool placed, struct engine_config *config,
                      struct engine_error *error)
{
    char path[ENSEMBLE_PATH_MAX + 32];
    int status = sweep_set(&ensemble->sweeps, member - 1, config, error);
    if (status == 0 && ensemble->files && ensemble->first) {
        member_folder(ensemble, member, path);
        status = engine_config_put(config, "run", "output", path, error);
    }
    if (status == 0 && ensemble->on_host)
        status = engine_config_put(config, "run", "implementation", "cpu", error);
    if (status == 0 && ensemble->threads > 0)
        status = put_number(config, "threads", ensemble->threads, error);
    if (status == 0 && placed)
        status = put_number(config, "device", device_of(ensemble), error);
    return status != 0 || !ensemble->transport ? status : put_number(config, "devices", 1, error);
}

static int placed_config(const struct ensemble *ensemble, uint64_t member, bool placed, struct engine_context *context,
                         struct engine_config **config, struct engine_error *error)
{
    if (engine_config_copy(ensemble->config, config, error) != 0)
        return error->status;
    engine_config_set_context(*config, context);
    if (set_member(ensemble, member, placed, *config, error) == 0)
        return 0;
    engine_config_close(*config);
    *config = NULL;
    return error->status;
}

static int plan_placed(const struct ensemble *ensemble, uint64_t member, bool placed, struct engine_context *context,
                       struct engine_run **run, struct engine_error *error)
{
    struct engine_config *config;
    *run = NULL;
    if (placed_config(ensemble, member, placed, context, &config, error) != 0)
        return error->status;
    const int status = engine_run_plan(config, run, error);
    engine_config_close(config);
    return status;
}

/* Do members run on the GPU of their process? Only if the first one does, which is planned as if they did. */
static bool are_placed(const struct ensemble *ensemble)
{
    return ensemble->transport && !(ensemble->first && ensemble->about.memory == ENGINE_HOST_MEMORY);
}

int ensemble_config(const struct ensemble *ensemble, uint64_t member, struct engine_context *context,
                    struct engine_config **config, struct engine_error *error)
{
    return placed_config(ensemble, member, are_placed(ensemble), context, config, error);
}

/* Plans the run of a member. If it runs elsewhere than the first one, the function plans it again. */
static int plan_member(const struct ensemble *ensemble, uint64_t member, struct engine_context *context,
                       struct engine_run **run, struct engine_error *error)
{
    struct engine_run_info about = {.size = sizeof about};
    const bool placed = are_placed(ensemble);
    if (plan_placed(ensemble, member, placed, context, run, error) != 0)
        return error->status;
    engine_run_about(*run, &about);
    if (!ensemble->transport || !ensemble->first || placed == (about.memory != ENGINE_HOST_MEMORY))
        return 0;
    engine_run_close(*run);
    return plan_placed(ensemble, member, !placed, context, run, error);
}

/* Plans the first member that can be planned. */
static int plan_first(struct ensemble *ensemble, struct engine_error *error)
{
    struct engine_error why;
    if (plan_member(ensemble, 1, ensemble->context, &ensemble->first, error) == 0)
        return 0;
    for (uint64_t member = 2; member <= ensemble->count && member <= FIRST_TRIES; member++)
        if (plan_member(ensemble, member, ensemble->context, &ensemble->first, &why) == 0)
            return 0;
    return error_prefix(error, "member 1: ");
}

/* Can `cpu` compute the run as a universe of a batch that ends by itself, and is it small? */
static bool is_small_on_host(const struct engine_config *config, struct engine_run *run)
{
    struct engine_run_info about = {.size = sizeof about};
    struct engine_error ignored;
    struct terms terms;
    if (engine_run_choose(run, "cpu", &ignored) != 0)
        return false;
    engine_run_about(run, &about);
    return engine_run_impl(run)->flags & ENGINE_EXACT && about.work_per_step <= HOST_WORK &&
           terms_read(config, run, &terms) && terms.count > 0;
}

/* Should members run on a CPU although the configuration leaves the choice to the engine, which prefers a GPU? This
 * starts no GPU, which takes a third of a second. */
static bool prefers_host(const struct ensemble *ensemble)
{
    const char *given = engine_config_get(ensemble->config, "run", "implementation");
    struct engine_config *config = NULL;
    struct engine_run *run = NULL;
    struct engine_error ignored;
    if ((given && *given && strcmp(given, "auto") != 0) || ensemble->files || ensemble->batch == 1 ||
        ensemble->exchange > 0 || !group_has(&ensemble->sweeps, 1, ensemble->count))
        return false;
    const bool prefers = placed_config(ensemble, 1, false, ensemble->context, &config, &ignored) == 0 &&
                         engine_run_plan_steps(config, NULL, &run, &ignored) == 0 && is_small_on_host(config, run);
    engine_run_close(run);
    engine_config_close(config);
    return prefers;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint32_t threads_of(const struct ensemble *ensemble)
{
    return ensemble->threads > 0 ? ensemble->threads : ensemble->about.threads;
}

/* Can members be the universes of batches? */
static bool takes_batches(const struct ensemble *ensemble, struct terms *terms)
{
    return !ensemble->files && ensemble->batch != 1 && ensemble->count > 1 &&
           terms_read(ensemble->config, ensemble->first, terms) &&
           (!terms->together || group_follows(&ensemble->sweeps, 1, 2, 1) ||
            (terms->plans && group_joins(ensemble->measured[0].about, &ensemble->sweeps, 1, 2)));
}

/* Chooses how many members are the universes of one batch. */
static uint32_t choose_together(const struct ensemble *ensemble)
{
    const uint64_t share = ensemble->count / ensemble->at_once / ensemble_ranks(ensemble);
    struct terms terms;
    if (share < 2 || !takes_batches(ensemble, &terms))
        return 1;
    return (uint32_t) least(ensemble->batch ? ensemble->batch
                                            : terms_width(&terms, ensemble->first, threads_of(ensemble),
                                                          TOGETHER_BYTES / ensemble->at_once),
                            share);
}

/* Chooses how many members run at the same time, and on how many threads each. Small states: one for each thread of the
 * machine. Large ones: fewer, so that together they still fit into the caches. */
static void choose(struct ensemble *ensemble)
{
    const bool on_host = ensemble->about.memory == ENGINE_HOST_MEMORY;
    const bool given = is_given(ensemble->config, "run", "threads") || sweeps_key(&ensemble->sweeps, "run.threads");
    const uint32_t processors = ensemble->transport ? ensemble->transport->processors : 0;
    const uint64_t threads = processors ? processors : (uint64_t) omp_get_num_procs(),
                   bytes = ensemble->about.bytes > 0 ? ensemble->about.bytes : 1;
    if (ensemble->at_once == 0) {
        struct terms terms;
        const uint64_t fit = TOGETHER_BYTES / bytes,
                       device = takes_batches(ensemble, &terms) ? DEVICE_BATCHES : DEVICE_AT_ONCE,
                       most = !on_host ? device
                              : given  ? 1
                                       : threads;
        ensemble->at_once = (uint32_t) least(most, fit > 0 ? fit : 1);
    }
    ensemble->at_once = (uint32_t) least(ensemble->at_once, ensemble->count);
    if (!given)
        ensemble->threads = (uint32_t) (threads / ensemble->at_once > 0 ? threads / ensemble->at_once : 1);
    ensemble->team = ensemble->at_once;
    if (ensemble->exchange > 0)
        ensemble->at_once = 1;
    ensemble->together = ensemble->exchange > 0 ? (uint32_t) ensemble->count : choose_together(ensemble);
}

/* Opens a context of one process, because each member runs in one. */
static int leave_others(struct ensemble *ensemble, struct engine_context *context, struct engine_error *error)
{
    struct engine_hooks hooks = *engine_context_hooks(context);
    const struct engine_transport *transport = hooks.transport;
    *ensemble = (struct ensemble){.caller = context, .context = context};
    if (!transport || transport->ranks < 2)
        return 0;
    ensemble->transport = transport;
    hooks.transport = NULL;
    return engine_open(&hooks, &ensemble->context, error);
}

/* Freezes the configuration, and reads the sweeps again, so that the tables have the same values when the ensemble is
 * resumed. */
static int freeze(struct ensemble *ensemble, const struct engine_config *config, struct engine_error *error)
{
    if (read_sweeps(ensemble, config, error) != 0 ||
        ensemble_freeze(config, &ensemble->sweeps, &ensemble->config, error) != 0)
        return error->status;
    engine_config_set_context(ensemble->config, ensemble->context);
    sweeps_release(&ensemble->sweeps);
    return read_sweeps(ensemble, ensemble->config, error);
}

int ensemble_plan(struct ensemble *ensemble, const struct engine_config *config, struct engine_error *error)
{
    if (leave_others(ensemble, engine_config_context(config), error) != 0 || freeze(ensemble, config, error) != 0)
        return error->status;
    ensemble->files = ensemble->exchange == 0 && wants_files(ensemble);
    ensemble->on_host = prefers_host(ensemble);
    if (plan_first(ensemble, error) != 0)
        return error->status;
    engine_run_set_flags(ensemble->first, ensemble->files ? 0 : ENGINE_RUN_NO_FILES);
    ensemble->about.size = sizeof ensemble->about;
    engine_run_about(ensemble->first, &ensemble->about);
    for (int p = 0; p < TABLE_SERIES; p++) {
        ensemble->measured[p].size = sizeof ensemble->measured[p];
        if (engine_run_measured(ensemble->first, p, &ensemble->measured[p], error) != 0)
            return error->status;
    }
    if (engine_config_put(ensemble->config, "run", "output", engine_run_folder(ensemble->first), error) != 0)
        return error->status;
    choose(ensemble);
    if (ensemble->exchange == 0)
        return 0;
    return ensemble->transport
               ? error_set(error, ENGINE_STATUS_USAGE, "[ensemble] exchange: all members run in one process")
               : exchange_check(ensemble->config, &ensemble->sweeps, ensemble->measured[0].about, &ensemble->energy,
                                error);
}

int ensemble_check_room(const struct ensemble *ensemble, struct engine_error *error)
{
    uint64_t bytes;
    const uint32_t at_once = ensemble->at_once * ensemble->together;
    return engine_run_check_rooms(ensemble->first, at_once, ensemble->count, &bytes, error) == 0
               ? 0
               : error_prefix(error, "%u members at once: ", at_once);
}

/* Bytes of the buffers of the members that run at the same time. */
static uint64_t bytes_of(const struct ensemble *ensemble)
{
    struct engine_error ignored;
    uint64_t bytes;
    engine_run_check_rooms(ensemble->first, ensemble->at_once * ensemble->together, ensemble->count, &bytes, &ignored);
    return bytes;
}

/* ---- Printing the plan ------------------------------------------------------------------------------------------ */

static void print_members(FILE *to, const struct ensemble *ensemble)
{
    char threads[64], bytes[32], where[128] = "", batches[64] = "";
    fprintf(to, "\nensemble        %llu members, one for each combination of\n", (unsigned long long) ensemble->count);
    for (uint32_t i = 0; i < ensemble->sweeps.count; i++) {
        const struct sweep *sweep = &ensemble->sweeps.at[i];
        fprintf(to, "%-15s %s: %u value%s, %s to %s\n", "", sweep->name, sweep->count, sweep->count == 1 ? "" : "s",
                sweep->values[0], sweep->values[sweep->count - 1]);
    }
    if (ensemble->transport)
        snprintf(where, sizeof where, " in each of %u processes, joined by %.64s", ensemble->transport->ranks,
                 ensemble->transport->name);
    if (ensemble->together > 1)
        snprintf(batches, sizeof batches, " batch%s of %u members", ensemble->at_once == 1 ? "" : "es",
                 ensemble->together);
    fprintf(to, "at once         %u%s%s, each on %s, with %sB of buffers together\n", ensemble->at_once, batches, where,
            text_count(threads_of(ensemble), "thread", threads), text_si((double) bytes_of(ensemble), bytes));
    if (ensemble->exchange > 0)
        fprintf(to, "exchange        every %llu steps; %u members take steps at the same time\n",
                (unsigned long long) ensemble->exchange, ensemble->team);
    if (ensemble->files)
        fprintf(to, "members' files  in folders of their own, %0*d and so on\n", ensemble_digits(ensemble), 1);
    else
        fprintf(to, "members' files  none; [output] every or formats gives each member a folder with files\n");
}

/* Prints the text of the plan of a member, and appends to it. Returns the stream; NULL: an error. */
static FILE *print_plan(const struct ensemble *ensemble, int form, size_t end, char **text, size_t *bytes,
                        struct engine_error *error)
{
    char *plan;
    *text = NULL;
    if (engine_run_print_plan(ensemble->first, form, &plan, error) != 0)
        return NULL;
    FILE *to = open_memstream(text, bytes);
    if (to)
        fprintf(to, "%.*s", (int) (strlen(plan) - end), plan);
    else
        error_memory(error, strlen(plan), "the plan");
    free(plan);
    return to;
}

static int print_text(const struct ensemble *ensemble, char **text, struct engine_error *error)
{
    size_t bytes = 0;
    FILE *to = print_plan(ensemble, ENGINE_TEXT, 0, text, &bytes, error);
    if (!to)
        return error->status;
    print_members(to, ensemble);
    return text_stream_close(to, text) ? 0 : error_memory(error, bytes, "the plan");
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
    json_add_count(json, "batch", ensemble->together);
    json_add_count(json, "exchange", ensemble->exchange);
    json_add_count(json, "threads", threads_of(ensemble));
    json_add_count(json, "memory_bytes", bytes_of(ensemble));
    json_add(json, "files", json_new_flag(ensemble->files));
    return json;
}

/* Puts the member "ensemble" in front of the brace that ends the plan. */
static int print_json(const struct ensemble *ensemble, char **text, struct engine_error *error)
{
    struct json_object *json = json_new_object();
    char *members;
    size_t bytes = 0;
    json_add(json, "ensemble", members_json(ensemble));
    if (json_take_lines(json, &members, error) != 0)
        return error->status;
    FILE *to = print_plan(ensemble, ENGINE_JSON, strlen("\n}\n"), text, &bytes, error);
    if (to)
        fprintf(to, ",%s", members + 1);
    free(members);
    return !to ? error->status : text_stream_close(to, text) ? 0 : error_memory(error, bytes, "the plan");
}

int ensemble_print_plan(struct ensemble *ensemble, bool as_json, char **text, struct engine_error *error)
{
    return (as_json ? print_json : print_text)(ensemble, text, error);
}

/* ---- The folder ------------------------------------------------------------------------------------------------- */

/* The first line of ensemble.csv. */
static char *make_header(const struct ensemble *ensemble)
{
    char *header = NULL;
    size_t bytes = 0;
    FILE *to = open_memstream(&header, &bytes);
    if (!to)
        return NULL;
    fputs("member,", to);
    for (uint32_t i = 0; i < ensemble->sweeps.count; i++)
        for (uint32_t k = 0; k < ensemble->sweeps.at[i].key_count; k++)
            fprintf(to, "%s,", ensemble->sweeps.at[i].keys[k]);
    fputs(ensemble->exchange > 0 ? "state,steps,seconds,exchanges,acceptance," : "state,steps,seconds,", to);
    for (int p = 0; p < TABLE_SERIES && ensemble->measured[p].about; p++) {
        const struct engine_plugin *about = ensemble->measured[p].about;
        for (uint32_t i = 0; i < about->metrics.count; i++)
            fprintf(to, "%s%s%s,", p ? about->name : "", p ? "." : "", about->metrics.at[i].name);
        fprintf(to, "%s%shash,", p ? about->name : "", p ? "." : "");
    }
    fputs("ended,error\n", to);
    text_stream_close(to, &header);
    return header;
}

int ensemble_open(struct ensemble *ensemble, bool force, struct engine_error *error)
{
    const char *const series[TABLE_SERIES] = {ensemble->measured[0].file, ensemble->measured[1].file};
    if (ensemble_check_room(ensemble, error) != 0 ||
        engine_run_claim(ensemble->first, force ? ENGINE_RUN_FORCE : 0, error) != 0 ||
        folder_open(engine_run_folder(ensemble->first), &ensemble->folder, error) != 0 ||
        run_folder_clean(ensemble->folder, error) != 0 ||
        freeze_write(ensemble->config, ensemble->measured[0].about, ensemble->folder, error) != 0)
        return error->status;
    ensemble->opened = machine_clock();
    return tables_begin(&ensemble->tables, ensemble->folder, make_header(ensemble), ensemble->count, series, error);
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
    const char *const series[TABLE_SERIES] = {ensemble->measured[0].file, ensemble->measured[1].file};
    if (run_folder_clean(ensemble->folder, error) != 0 ||
        tables_resume(&ensemble->tables, ensemble->folder, make_header(ensemble), ensemble->count, series, has_values,
                      ensemble, error) != 0)
        return error->status;
    ensemble->found = ensemble->tables.count;
    ensemble->opened = machine_clock();
    ensemble->resumed = true;
    return 0;
}

/* Changes the configuration of a folder. */
static int change(const struct engine_config *before, const struct folder *folder, const char *const *assignments,
                  uint32_t count, struct engine_config *config, struct engine_error *error)
{
    for (uint32_t i = 0; i < count; i++)
        if (engine_config_set(config, assignments[i], error) != 0)
            return error->status;
    if (freeze_check_changes(before, config, assignments, count, folder->path, error) != 0)
        return error->status;
    const char *given = engine_config_get(before, "run", "output"); /* the folder may have been moved */
    return given && folder_is_at(folder, given) ? 0 : engine_config_put(config, "run", "output", folder->path, error);
}

/* Reads the configuration of a folder, and copies it with the assignments. */
static int open_config(const struct folder *folder, const char *const *assignments, uint32_t count,
                       struct engine_context *context, struct engine_config **config, struct engine_error *error)
{
    char path[ENSEMBLE_PATH_MAX + 32];
    struct engine_config *before;
    snprintf(path, sizeof path, "%s/" FOLDER_CONFIG, folder->path);
    if (engine_config_open(context, path, &before, error) != 0)
        return error->status;
    int status = freeze_check(before, folder, error);
    if (status == 0)
        status = engine_config_copy(before, config, error);
    if (status == 0)
        status = change(before, folder, assignments, count, *config, error);
    engine_config_close(before);
    return status;
}

/* Plans the ensemble again, and locks its folder. */
static int go_on(struct ensemble *ensemble, const struct engine_config *config, const char *path,
                 struct engine_error *error)
{
    return ensemble_plan(ensemble, config, error) != 0 ||
                   engine_run_claim(ensemble->first, ENGINE_RUN_GOES_ON, error) != 0 ||
                   folder_open(path, &ensemble->folder, error) != 0 || ensemble_check_room(ensemble, error) != 0
               ? error->status
               : resume_tables(ensemble, error);
}

int ensemble_resume(struct ensemble *ensemble, struct engine_context *context, const char *path,
                    const char *const *assignments, uint32_t count, bool *found, struct engine_error *error)
{
    struct folder *folder;
    struct engine_config *config = NULL;
    *found = false;
    if (strlen(path) >= ENSEMBLE_PATH_MAX - 64)
        return error_set(error, ENGINE_STATUS_USAGE, "the path of the folder has more than %d bytes",
                         ENSEMBLE_PATH_MAX - 65);
    if (run_folder_open(path, &folder, error) != 0)
        return error->status;
    int status = freeze_is_ensemble(folder, found, error);
    if (status == 0 && *found)
        status = open_config(folder, assignments, count, context, &config, error);
    folder_close(folder);
    if (status == 0 && *found)
        status = go_on(ensemble, config, path, error);
    engine_config_close(config);
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

/* Continues the run in the folder of a member. *run stays NULL if there is no run, or if it had ended: then its row is
 * missing or says that it failed, and the member runs again. */
static int resume_member(const struct ensemble *ensemble, const char *path, struct engine_context *context,
                         struct engine_run **run, struct engine_error *error)
{
    char device[64];
    const char *const assignments[] = {device};
    const uint32_t count = are_placed(ensemble);
    struct folder *folder;
    struct engine_error ignored;
    char *summary;
    *run = NULL;
    if (run_folder_open(path, &folder, &ignored) != 0)
        return 0;
    folder_close(folder);
    if (count)
        snprintf(device, sizeof device, "run.device=%lld", device_of(ensemble));
    const int status = engine_run_resume(context, path, assignments, count, run, &summary, error);
    free(summary);
    return status;
}

int ensemble_member(const struct ensemble *ensemble, uint64_t member, struct engine_context *context,
                    struct engine_run **run, struct engine_error *error)
{
    char path[ENSEMBLE_PATH_MAX + 32];
    struct engine_run_info about = {.size = sizeof about};
    *run = NULL;
    member_folder(ensemble, member, path);
    if (ensemble->files && ensemble->resumed && resume_member(ensemble, path, context, run, error) != 0)
        return error->status;
    if (!*run && plan_member(ensemble, member, context, run, error) != 0)
        return error->status;
    engine_run_about(*run, &about);
    /* ensemble_check_room has counted members of this size; to look again costs as much as a small member. */
    const bool has_room = !ensemble->files && about.bytes <= ensemble->about.bytes;
    /* ONCE: before the row of the member is written, so that nothing is left to do in its folder afterwards. */
    engine_run_set_flags(*run, ensemble->files ? ENGINE_RUN_FORCE | ENGINE_RUN_ONCE
                                               : ENGINE_RUN_NO_FILES | (has_room ? ENGINE_RUN_HAS_ROOM : 0));
    return 0;
}
