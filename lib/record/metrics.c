#include "record/metrics.h"
#include "base/convert.h"
#include "base/text.h"
#include "files/run_folder.h"
#include "record/section_output.h"
#include "record/state_region.h"

#include <stdlib.h>

static const struct engine_metric_array *names_of(const struct metrics *metrics)
{
    return &metrics->instance->state->plan->plugin->about.metrics;
}

static const struct plan *plan_of(const struct metrics *metrics)
{
    return metrics->instance->state->plan;
}

static void put_metric_names(const struct metrics *metrics, FILE *file)
{
    for (uint32_t i = 0; i < metrics->columns; i++)
        fprintf(file, ",%s", names_of(metrics)->at[i].name);
}

/* Writes the names of the columns as a line. */
static void put_names(const struct metrics *metrics, FILE *file)
{
    char column[PROBE_COLUMN];
    fputs("step", file);
    put_metric_names(metrics, file);
    for (uint32_t i = 0; i < metrics->probes.count; i++) {
        const struct probe *probe = &metrics->probes.at[i];
        for (uint32_t c = 0; c < plan_of(metrics)->shapes[probe->field].components; c++)
            fprintf(file, ",%s", probe_column(plan_of(metrics), probe, c, column));
    }
    fputc('\n', file);
}

static void put_universe_names(const struct metrics *metrics, FILE *file)
{
    fputs("step,universe", file);
    put_metric_names(metrics, file);
    fputc('\n', file);
}

static int open_rows(const struct metrics *metrics, struct rows *table,
                     void (*put)(const struct metrics *metrics, FILE *file), const struct folder *folder,
                     const char *name, uint64_t bytes, struct engine_error *error)
{
    char *names = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&names, &length);
    if (file)
        put(metrics, file);
    const int status = file && text_stream_close(file, &names) ? rows_open(table, folder, name, names, bytes, error)
                                                               : error_memory(error, length, "the columns of a table");
    free(names);
    return status;
}

static int open_table(struct metrics *metrics, const struct folder *folder, const char *name, uint64_t bytes,
                      struct engine_error *error)
{
    return open_rows(metrics, &metrics->table, put_names, folder, name, bytes, error);
}

/* Continues a file, which lacks the last metrics if the plugin had not yet got them. */
static int go_on(struct metrics *metrics, const struct folder *folder, const char *name, uint64_t bytes,
                 struct engine_error *error)
{
    const uint32_t all = metrics->columns;
    struct engine_error fewer;
    const int status = open_table(metrics, folder, name, bytes, error);
    if (status != ENGINE_STATUS_USAGE)
        return status;
    while (metrics->columns > 0) {
        metrics->columns--;
        rows_close(&metrics->table);
        if (open_table(metrics, folder, name, bytes, &fewer) == 0)
            return 0;
    }
    metrics->columns = all;
    return status;
}

int metrics_open(struct metrics *metrics, struct instance *instance, const struct folder *folder, const char *name,
                 uint64_t bytes, struct engine_error *error)
{
    *metrics = (struct metrics){.instance = instance};
    const struct engine_metric_array *names = names_of(metrics);
    const bool measures = names->count > 0 && instance->state->plan->impl->measure;
    if (probes_find(plan_of(metrics), &metrics->probes, error) != 0)
        return error->status;
    if (!measures && metrics->probes.count == 0)
        return 0;
    metrics->values = measures ? calloc(names->count, sizeof *metrics->values) : NULL;
    if (measures && !metrics->values)
        return error_memory(error, names->count * sizeof *metrics->values, "metrics");
    metrics->columns = measures ? names->count : 0;
    return bytes ? go_on(metrics, folder, name, bytes, error) : open_table(metrics, folder, name, bytes, error);
}

int metrics_open_universes(struct metrics *metrics, const struct folder *folder, uint64_t bytes,
                           struct engine_error *error)
{
    return folder && metrics->values && plan_is_batch(plan_of(metrics)) &&
                   output_settings(plan_of(metrics))->universe_metrics
               ? open_rows(metrics, &metrics->universes, put_universe_names, folder, FOLDER_UNIVERSES, bytes, error)
               : 0;
}

void metrics_close(struct metrics *metrics)
{
    rows_close(&metrics->table);
    rows_close(&metrics->universes);
    free(metrics->values);
    free(metrics->probes.at);
}

int metrics_measure(struct metrics *metrics, struct engine_error *error)
{
    return metrics->values ? instance_measure(metrics->instance, metrics->values, &metrics->measured, error) : 0;
}

static void put_number(FILE *file, uint32_t type, const void *element)
{
    double number;
    if (type == ENGINE_U64)
        fprintf(file, ",%llu", *(const unsigned long long *) element);
    else if (type < ENGINE_F32)
        fprintf(file, ",%lld", (long long) integer_at(type, element, 0));
    else {
        convert_elements(type, element, 1, ENGINE_F64, &number);
        fprintf(file, type == ENGINE_F32 ? ",%.9g" : ",%.17g", number);
    }
}

/* Reads the cell of a probe and adds its columns. */
static int put_probe(const struct metrics *metrics, const struct probe *probe, FILE *row, struct engine_error *error)
{
    const struct state *state = metrics->instance->state;
    const struct engine_shape *shape = &state_geometry(state, probe->field)->shape;
    const uint64_t bytes = type_bytes(shape->type);
    for (int axis = 0; axis < 3; axis++)
        if (probe->cell.begin[axis] >= shape->extent[axis])
            return error_set(error, ENGINE_STATUS_USAGE, "[output] probes: '%s': at step %llu, there is no such cell",
                             probe->name, (unsigned long long) state->step);
    char *cell = malloc(shape->components * bytes);
    int status = cell ? state_read_region(state, probe->field, &probe->cell, 0, shape->components, cell, error)
                      : error_memory(error, shape->components * bytes, "a probe");
    for (uint32_t c = 0; status == 0 && c < shape->components; c++)
        put_number(row, shape->type, cell + c * bytes);
    free(cell);
    return status;
}

static void put_values(const struct metrics *metrics, const double *values, FILE *row)
{
    for (uint32_t i = 0; i < metrics->columns; i++)
        fprintf(row, ",%.17g", values[i]);
}

/* Prints a row. An error leaves the file as it is, because the row is printed into memory. */
static int print_row(const struct metrics *metrics, uint64_t step, FILE *row, struct engine_error *error)
{
    fprintf(row, "%llu", (unsigned long long) step);
    put_values(metrics, metrics->values, row);
    for (uint32_t i = 0; i < metrics->probes.count; i++)
        if (put_probe(metrics, &metrics->probes.at[i], row, error) != 0)
            return error->status;
    fputc('\n', row);
    return 0;
}

/* Prints the rows of all universes, which have been measured for the mean. */
static int print_universes(const struct metrics *metrics, uint64_t step, FILE *rows, struct engine_error *error)
{
    (void) error;
    for (uint64_t u = 0; u < plan_of(metrics)->settings.universes; u++) {
        fprintf(rows, "%llu,%llu", (unsigned long long) step, (unsigned long long) u);
        put_values(metrics, metrics->instance->values + u * names_of(metrics)->count, rows);
        fputc('\n', rows);
    }
    return 0;
}

static int add(const struct metrics *metrics, struct rows *table,
               int (*print)(const struct metrics *, uint64_t, FILE *, struct engine_error *), uint64_t step,
               struct engine_error *error)
{
    char *text = NULL;
    size_t length = 0;
    FILE *row = open_memstream(&text, &length);
    int status = row ? print(metrics, step, row, error) : error_memory(error, 1, "a row of metrics");
    if (row && !text_stream_close(row, &text) && status == 0)
        status = error_memory(error, length, "a row of metrics");
    if (status == 0)
        status = rows_add(table, text, error);
    free(text);
    return status;
}

int metrics_write(struct metrics *metrics, uint64_t step, struct engine_error *error)
{
    if (!metrics->table.file)
        return 0;
    if (metrics_measure(metrics, error) != 0 || add(metrics, &metrics->table, print_row, step, error) != 0)
        return error->status;
    return metrics->universes.file ? add(metrics, &metrics->universes, print_universes, step, error) : 0;
}
