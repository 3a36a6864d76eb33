#include "judge/bench.h"
#include "base/error.h"
#include "judge/candidate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rows --------------------------------------------------------------------------------------------------- */

struct bench_row *bench_add_row(struct bench *bench, const char *impl, uint64_t combination, struct engine_error *error)
{
    if (bench->count == bench->capacity) {
        uint32_t capacity = bench->capacity ? 2 * bench->capacity : 16;
        struct bench_row *rows = realloc(bench->rows, capacity * sizeof *rows);
        if (!rows) {
            error_memory(error, capacity * sizeof *rows, "rows");
            return NULL;
        }
        bench->rows = rows;
        bench->capacity = capacity;
    }
    double *seconds = calloc(bench->repeats, sizeof *seconds);
    if (!seconds) {
        error_memory(error, bench->repeats * sizeof *seconds, "repeats");
        return NULL;
    }
    struct bench_row *row = &bench->rows[bench->count++];
    *row = (struct bench_row){.combination = combination, .seconds = seconds};
    snprintf(row->impl, sizeof row->impl, "%s", impl);
    return row;
}

int bench_refuse(struct bench *bench, uint64_t combination, const struct engine_error *why, struct engine_error *error)
{
    struct bench_row *row = bench_add_row(bench, "-", combination, error);
    if (!row)
        return error->status;
    row->refused = true;
    bench_fail_row(row, why);
    return 0;
}

int bench_check_any(const struct bench *bench, struct engine_error *error)
{
    for (uint32_t i = 0; i < bench->count; i++)
        if (!bench->rows[i].refused)
            return 0;
    return bench->count ? error_set(error, bench->rows[0].status, "%s", bench->rows[0].text) : 0;
}

/* Returns why this machine or this build cannot run the implementation of that name at all, or NULL. */
static const char *missing(const struct bench *bench, const struct engine_plugin *about, const char *name,
                           struct engine_error *error)
{
    struct engine_plugin_info other = {.size = sizeof other};
    char plugin[128];
    if (candidate_plugin(name, plugin))
        about = engine_plugin_find(bench->context, plugin, &other, error) == 0 ? other.about : NULL;
    for (uint32_t i = 0; about && i < about->impls.count; i++)
        if (strcmp(about->impls.at[i].name, candidate_impl(name)) == 0)
            return engine_impl_missing(bench->context, &about->impls.at[i], error);
    return NULL;
}

/* Returns why a name is left out, or NULL. If none could run, none is, and its row has the error. */
static const char *leaves_out(const struct bench *bench, const struct engine_plugin *about, char *const *names,
                              uint32_t count, uint32_t name, struct engine_error *error)
{
    const char *why = missing(bench, about, names[name], error);
    uint32_t present = 0;
    for (uint32_t i = 0; why && present == 0 && i < count; i++) {
        struct engine_error ignored;
        present += !missing(bench, about, names[i], &ignored);
    }
    return present ? why : NULL;
}

/* Tells once that a name is left out. */
static void tell_left_out(const struct bench *bench, const char *name, const char *why)
{
    char text[640];
    snprintf(text, sizeof text, "%s is not available: %.500s", name, why);
    if (!bench->subject[0])
        engine_message(bench->context, ENGINE_LOG_INFO, text);
}

/* Adds the row of a name. If it cannot run, a ladder alone has a row for it. */
static int add_row(struct bench *bench, const struct engine_plugin *about, uint64_t combination, char *const *names,
                   uint32_t count, uint32_t name, struct engine_error *error)
{
    struct engine_error reason;
    const char *why = leaves_out(bench, about, names, count, name, &reason);
    if (why && !bench->removes) {
        tell_left_out(bench, names[name], why);
        return 0;
    }
    struct bench_row *row = bench_add_row(bench, names[name], combination, error);
    if (!row)
        return error->status;
    row->removes = bench->removes ? bench->removes[name] : NULL;
    row->absent = why;
    if (why) {
        row->status = ENGINE_STATUS_DEVICE;
        snprintf(row->text, sizeof row->text, "%.500s", why);
    }
    return 0;
}

/* Adds a row for each name that can run. Without names it adds one for each implementation that is compiled in and whose
 * device exists; such an implementation may still refuse the configuration. */
static int add_rows(struct bench *bench, const struct engine_plugin *about, uint64_t combination, char *const *names,
                    uint32_t count, struct engine_error *error)
{
    const uint32_t before = bench->count;
    for (uint32_t i = 0; i < count; i++)
        if (add_row(bench, about, combination, names, count, i, error) != 0)
            return error->status;
    for (uint32_t i = 0; count == 0 && i < about->impls.count; i++) {
        const struct engine_impl *impl = &about->impls.at[i];
        struct engine_error ignored;
        if (!engine_impl_missing(bench->context, impl, &ignored) &&
            !bench_add_row(bench, impl->name, combination, error))
            return error->status;
    }
    if (bench->count == before &&
        !bench_add_row(bench, "auto", combination, error)) /* its error says why none can run */
        return error->status;
    return 0;
}

void bench_set_subject(struct bench *bench, const char *text, uint32_t head)
{
    char subject[sizeof bench->subject];
    int length = (int) head;
    snprintf(subject, sizeof subject, "%s", text);
    if (bench->subject[0] && strcmp(bench->subject, subject) != 0)
        for (uint32_t s = 0; s < bench->sweeps->count && length < (int) sizeof subject; s++)
            length += snprintf(subject + length, sizeof subject - (size_t) length, ", %s%s", s ? "" : "sweep of ",
                               bench->sweeps->at[s].name);
    memcpy(bench->subject, subject, sizeof subject);
    bench->subject_head = head;
}

/* Writes the subject: plugin and field, and the size or, if it is swept, what is swept. It leaves out the plugin where the
 * rows name theirs. */
static void name_subject(struct bench *bench, const struct engine_run *plan, const struct engine_plugin *about,
                         const char *first_name)
{
    const bool named = first_name && candidate_impl(first_name) > first_name;
    char sizes[80], subject[sizeof bench->subject];
    const int length = snprintf(subject, sizeof subject, "%s%s%s", named ? "" : about->name, named ? "" : ", ",
                                about->fields.at[0].name);
    snprintf(subject + length, sizeof subject - (size_t) length, " %s", engine_run_size(plan, 0, sizes));
    bench_set_subject(bench, subject, (uint32_t) length);
}

/* ---- Combinations ------------------------------------------------------------------------------------------- */

static bool steps_are_swept(const struct bench *bench)
{
    return sweeps_key(bench->sweeps, "run.steps");
}

/* Has the plugin a parameter `settled` with the choice `no`? */
static bool can_compute_all(const struct engine_plugin *about)
{
    for (uint32_t i = 0; i < about->params.count; i++) {
        const struct engine_param *param = &about->params.at[i];
        const bool has_words = param->type == ENGINE_PARAM_CHOICE && strcmp(param->name, "settled") == 0;
        for (const char *const *word = has_words ? param->choices : NULL; word && *word; word++)
            if (strcmp(*word, "no") == 0)
                return true;
    }
    return false;
}

/* A bench compares work that is done. */
static int compute_all(struct engine_config *config, const struct engine_plugin *about, struct engine_error *error)
{
    char assignment[256];
    if (!can_compute_all(about) || engine_config_get(config, about->name, "settled"))
        return 0;
    snprintf(assignment, sizeof assignment, "%s.settled=no", about->name);
    return engine_config_set(config, assignment, error);
}

/* If a row names no such plugin, the row will say so. */
int bench_compute_all(const struct bench *bench, struct engine_config *config, const char *row,
                      struct engine_error *error)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_error ignored;
    char name[128];
    const bool named = candidate_plugin(row, name);
    const char *own = engine_config_get(config, "run", "plugin");
    if (named ? engine_plugin_find(bench->context, name, &plugin, &ignored) != 0
              : !own || engine_config_plugin(config, own, &plugin, &ignored) != 0)
        return 0;
    return compute_all(config, plugin.about, error);
}

/* Adds the rows of a combination that is planned. */
static int find_rows(struct bench *bench, struct engine_config *config, const struct engine_run *plan,
                     uint64_t combination, char *const *names, uint32_t count, struct round *round,
                     struct engine_error *error)
{
    const uint32_t first = bench->count;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    engine_run_plugin(plan, &plugin);
    int status = compute_all(config, plugin.about, error);
    for (uint32_t i = 0; status == 0 && i < count; i++)
        status = bench_compute_all(bench, config, names[i], error);
    if (status == 0)
        status = add_rows(bench, plugin.about, combination, names, count, error);
    name_subject(bench, plan, plugin.about, count ? names[0] : NULL);
    *round = (struct round){.bench = bench, .config = config, .count = bench->count - first};
    round->rows = bench->rows + first;
    round->steps = bench->steps || !steps_are_swept(bench) ? bench->steps : engine_run_steps(plan);
    return status;
}

int bench_find_rows(struct bench *bench, struct engine_config *config, uint64_t combination, char *const *names,
                    uint32_t count, struct round *round, struct engine_error *error)
{
    struct engine_run *plan;
    struct engine_error why;
    *round = (struct round){0};
    const int refused = engine_run_plan_steps(config, NULL, &plan, &why) != 0 || engine_run_check_init(plan, &why) != 0;
    const int status = refused ? bench_refuse(bench, combination, &why, error)
                               : find_rows(bench, config, plan, combination, names, count, round, error);
    engine_run_close(plan);
    return status;
}

int bench_combination(struct bench *bench, struct engine_config *config, uint64_t combination, char *const *names,
                      uint32_t count, struct engine_error *error)
{
    struct round round;
    if (bench_find_rows(bench, config, combination, names, count, &round, error) != 0)
        return error->status;
    return round.count > 0 ? bench_measure(&round, error) : 0;
}

void bench_release(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->count; i++)
        free(bench->rows[i].seconds);
    free(bench->rows);
    free(bench->spare);
}
