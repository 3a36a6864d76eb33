#include "judge/bench.h"
#include "base/error.h"
#include "judge/candidate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Rows --------------------------------------------------------------------------------------------------- */

static struct bench_row *add_row(struct bench *bench, const char *impl, uint64_t combination,
                                 struct engine_error *error)
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
    struct bench_row *row = add_row(bench, "-", combination, error);
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

/* Adds a row for each name. Without names it adds one for each implementation that is compiled in and whose device
 * exists; such an implementation may still refuse the configuration. */
static int add_rows(struct bench *bench, const struct engine_plugin *about, uint64_t combination, char *const *names,
                    uint32_t count, struct engine_error *error)
{
    const uint32_t before = bench->count;
    for (uint32_t i = 0; i < count; i++)
        if (!add_row(bench, names[i], combination, error))
            return error->status;
    for (uint32_t i = 0; count == 0 && i < about->impls.count; i++) {
        const struct engine_impl *impl = &about->impls.at[i];
        struct engine_error ignored;
        if (!engine_impl_missing(bench->context, impl, &ignored) && !add_row(bench, impl->name, combination, error))
            return error->status;
    }
    if (bench->count == before && !add_row(bench, "auto", combination, error)) /* its error says why none can run */
        return error->status;
    return 0;
}

/* Writes the subject: plugin, field and size. It leaves out the plugin where the rows name theirs. */
static void name_subject(struct bench *bench, const struct engine_run *plan, const struct engine_plugin *about,
                         const char *first_name)
{
    const bool named = first_name && candidate_impl(first_name) > first_name;
    char sizes[80];
    snprintf(bench->subject, sizeof bench->subject, "%s%s%s %s", named ? "" : about->name, named ? "" : ", ",
             about->fields.at[0].name, engine_run_size(plan, 0, sizes));
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

/* The same for a plugin that a row names. If there is no such plugin, the row will say so. */
static int compute_all_of(const struct bench *bench, struct engine_config *config, const char *row,
                          struct engine_error *error)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_error ignored;
    char name[128];
    if (!candidate_plugin(row, name) || engine_plugin_find(bench->context, name, &plugin, &ignored) != 0)
        return 0;
    return compute_all(config, plugin.about, error);
}

/* Adds and measures the rows of a combination that is planned. */
static int measure(struct bench *bench, struct engine_config *config, const struct engine_run *plan,
                   uint64_t combination, char *const *names, uint32_t count, struct engine_error *error)
{
    const uint32_t first = bench->count;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    engine_run_plugin(plan, &plugin);
    if (!bench->subject[0])
        name_subject(bench, plan, plugin.about, count ? names[0] : NULL);
    int status = compute_all(config, plugin.about, error);
    for (uint32_t i = 0; status == 0 && i < count; i++)
        status = compute_all_of(bench, config, names[i], error);
    if (status == 0)
        status = add_rows(bench, plugin.about, combination, names, count, error);
    struct round round = {.bench = bench, .config = config, .rows = bench->rows + first, .count = bench->count - first};
    round.steps = bench->steps || !steps_are_swept(bench) ? bench->steps : engine_run_steps(plan);
    return status == 0 ? bench_measure(&round, error) : status;
}

int bench_combination(struct bench *bench, struct engine_config *config, uint64_t combination, char *const *names,
                      uint32_t count, struct engine_error *error)
{
    struct engine_run *plan;
    struct engine_error why;
    const int refused = engine_run_plan_steps(config, NULL, &plan, &why) != 0 || engine_run_check_init(plan, &why) != 0;
    const int status = refused ? bench_refuse(bench, combination, &why, error)
                               : measure(bench, config, plan, combination, names, count, error);
    engine_run_close(plan);
    return status;
}

void bench_release(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->count; i++)
        free(bench->rows[i].seconds);
    free(bench->rows);
    free(bench->spare);
}
