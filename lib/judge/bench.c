#include "judge/bench.h"
#include "files/plan_use.h"
#include "memory/devices.h"

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
static int add_rows(struct bench *bench, const struct plan *plan, uint64_t combination, char *const *names,
                    uint32_t count, struct engine_error *error)
{
    const struct engine_impl_array *impls = &plan->plugin->about.impls;
    const uint32_t before = bench->count;
    for (uint32_t i = 0; i < count; i++)
        if (!add_row(bench, names[i], combination, error))
            return error->status;
    for (uint32_t i = 0; count == 0 && i < impls->count; i++) {
        const struct engine_impl *impl = &impls->at[i];
        struct device *device;
        struct engine_error ignored;
        if (impl->advance && devices_find(plan->context, impl->memory, plan->settings.device, &device, &ignored) == 0 &&
            !add_row(bench, impl->name, combination, error))
            return error->status;
    }
    if (bench->count == before && !add_row(bench, "auto", combination, error)) /* its error says why none can run */
        return error->status;
    return 0;
}

/* Writes the subject: plugin, field and size. It leaves out the plugin where the rows name theirs. */
static void name_subject(struct bench *bench, const struct plan *plan, char *const *names, uint32_t count)
{
    const struct engine_field *field = &plan->plugin->about.fields.at[0];
    const bool named = count > 0 && contender_impl(names[0]) > names[0];
    char sizes[SHAPE_TEXT];
    snprintf(bench->subject, sizeof bench->subject, "%s%s%s %s", named ? "" : plan->plugin->about.name,
             named ? "" : ", ", field->name, plan_size_text(plan, 0, sizes));
}

/* ---- Combinations ------------------------------------------------------------------------------------------- */

static bool steps_are_swept(const struct bench *bench)
{
    return sweeps_key(bench->sweeps, "run.steps");
}

/* A bench compares work that is done. */
static int compute_all(struct config *config, const struct plugin *plugin, struct engine_error *error)
{
    char assignment[2 * CONFIG_NAME_MAX];
    const char *name = plugin->about.name;
    if (!plugin_param_has_choice(plugin, "settled", "no") || config_get(config, name, "settled"))
        return 0;
    snprintf(assignment, sizeof assignment, "%s.settled=no", name);
    return config_set(config, assignment, error);
}

/* The same for a plugin that a row names. If there is no such plugin, the row will say so. */
static int compute_all_of(const struct bench *bench, struct config *config, const char *row, struct engine_error *error)
{
    const struct plugin *plugin;
    struct engine_error ignored;
    char name[128];
    snprintf(name, sizeof name, "%.*s", (int) strcspn(row, ":"), row);
    if (contender_impl(row) == row || registry_find(bench->registry, name, &plugin, &ignored) != 0)
        return 0;
    return compute_all(config, plugin, error);
}

int bench_combination(struct bench *bench, struct config *config, uint64_t combination, char *const *names,
                      uint32_t count, struct engine_error *error)
{
    const uint32_t first = bench->count;
    struct plan *plan;
    struct engine_error why;
    if (plan_open(config, bench->registry, &plan, &why) != 0)
        return bench_refuse(bench, combination, &why, error);
    if (plan_check_init(plan, &why) != 0) {
        plan_close(plan);
        return bench_refuse(bench, combination, &why, error);
    }
    plan_warn_empty(plan);
    if (!bench->subject[0])
        name_subject(bench, plan, names, count);
    int status = compute_all(config, plan->plugin, error);
    for (uint32_t i = 0; status == 0 && i < count; i++)
        status = compute_all_of(bench, config, names[i], error);
    if (status == 0)
        status = add_rows(bench, plan, combination, names, count, error);
    struct round round = {.bench = bench, .config = config, .rows = bench->rows + first, .count = bench->count - first};
    round.steps = bench->steps || !steps_are_swept(bench) ? bench->steps : plan->settings.steps;
    plan_close(plan);
    return status == 0 ? bench_measure(&round, error) : status;
}

void bench_release(struct bench *bench)
{
    for (uint32_t i = 0; i < bench->count; i++)
        free(bench->rows[i].seconds);
    free(bench->rows);
    free(bench->spare);
}
