#include "output.h"
#include "provenance.h"
#include "run_folder.h"

#include <stdlib.h>
#include <string.h>

/* ---- A state as a document ---------------------------------------------------------------------------------- */

struct fields {
    struct state *state;
    uint32_t field[IO_ARRAYS_MAX];
};

static int read_field(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                      struct error *error)
{
    struct fields *fields = document->context;
    return state_read(fields->state, fields->field[array], begin, count, out, error);
}

static void close_document(struct io_document *document)
{
    free(document->context);
    free(document);
}

static void add_field(struct io_document *document, const struct state *state, uint32_t index)
{
    struct fields *fields = document->context;
    struct io_array *array = &document->arrays[document->count];
    const struct engine_field *about = state->plan->fields[index].about;
    snprintf(array->name, sizeof array->name, "%s", about->name);
    array->values = about->values;
    array->bins = about->kind == ENGINE_BINS;
    array->shape = state_geometry(state, index)->shape;
    fields->field[document->count++] = index;
}

int output_document(struct state *state, struct io_document **out, struct error *error)
{
    struct io_document *document = calloc(1, sizeof *document);
    struct fields *fields = calloc(1, sizeof *fields);
    *out = NULL;
    if (!document || !fields) {
        free(document);
        free(fields);
        return error_memory(error, sizeof *document, "output");
    }
    fields->state = state;
    document->context = fields;
    document->read = read_field;
    document->close = close_document;
    document->header.step = state->step;
    snprintf(document->header.rule, sizeof document->header.rule, "%s", plan_header_text(state->plan, "rule"));
    memcpy(document->header.grid, state_geometry(state, 0)->shape.extent, sizeof document->header.grid);
    memcpy(document->header.box, state->plan->shared.box, sizeof document->header.box);
    document->header.placed = true; /* at 0 0 0: it is the whole torus */
    for (uint32_t i = 0; i < state->plan->plugin->about.fields.count && document->count < IO_ARRAYS_MAX; i++)
        if (state_counts(state->plan->fields[i].about))
            add_field(document, state, i);
    *out = document;
    return 0;
}

/* ---- Metrics ------------------------------------------------------------------------------------------------ */

static int remember(struct output *output, const char *path, struct error *error)
{
    if (output->count == output->room) {
        uint32_t room = output->room ? 2 * output->room : 16;
        char **paths = realloc(output->paths, room * sizeof *paths);
        if (!paths)
            return error_memory(error, room * sizeof *paths, "the list of files");
        output->paths = paths;
        output->room = room;
    }
    char *copy = strdup(path);
    if (!copy)
        return error_memory(error, strlen(path), "the list of files");
    output->paths[output->count++] = copy;
    return 0;
}

static int open_metrics(struct output *output, struct metrics *metrics, struct instance *instance, const char *name,
                        uint64_t bytes, struct error *error)
{
    if (metrics_open(metrics, instance, output->folder, name, bytes, error) != 0)
        return error->status;
    return metrics->file ? remember(output, metrics->path, error) : 0;
}

static int open_all_metrics(struct output *output, const struct output_past *past, struct error *error)
{
    char name[192];
    if (open_metrics(output, &output->metrics, output->instance, "metrics.csv", past->metrics_bytes, error) != 0)
        return error->status;
    if (!output->analysis)
        return 0;
    snprintf(name, sizeof name, "%.128s-metrics.csv", output->analysis->state->plan->plugin->about.name);
    return open_metrics(output, &output->analysis_metrics, output->analysis->instance, name,
                        past->analysis_metrics_bytes, error);
}

static int write_metrics(struct output *output, struct error *error)
{
    const uint64_t step = output->instance->state->step;
    if (metrics_write(&output->metrics, step, error) != 0)
        return error->status;
    if (output->analysis_metrics.file && analysis_follow(output->analysis, error) != 0)
        return error->status;
    return metrics_write(&output->analysis_metrics, step, error);
}

/* ---- Pictures ----------------------------------------------------------------------------------------------- */

static bool has_pictures(const struct settings *settings)
{
    bool pictures = false;
    for (uint32_t f = 0; f < settings->format_count; f++)
        pictures = pictures || settings->formats[f]->picture;
    return pictures;
}

/* Pictures of particles all show what fits the first state, unless the settings say what. */
static int fix_bounds(struct output *output, const struct output_past *past, struct error *error)
{
    struct state *state = output->instance->state;
    struct io_document *document;
    static const double none[4];
    if (memcmp(output->how.bounds, none, sizeof none) == 0)
        memcpy(output->how.bounds, past->bounds, sizeof past->bounds);
    if (!has_pictures(&state->plan->settings))
        return 0;
    if (output_document(state, &document, error) != 0)
        return error->status;
    const int status = io_fix_bounds(document, &output->how, error);
    document->close(document);
    return status;
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static struct output_series *current_series(const struct output *output)
{
    return &output->series[output->series_count - 1];
}

static uint64_t next_multiple(uint64_t every, uint64_t step)
{
    return every ? (step / every + 1) * every : UINT64_MAX;
}

uint64_t output_next(const struct output *output)
{
    const struct state *state = output->instance->state;
    const struct settings *settings = &state->plan->settings;
    const uint64_t next = next_multiple(current_series(output)->every, state->step);
    const bool rows = output->metrics.file || output->analysis_metrics.file;
    const uint64_t row = rows ? next_multiple(settings->metrics_every, state->step) : UINT64_MAX;
    return next < row ? next : row;
}

/* Does the array go into the table of an earlier one? */
static bool goes_with_earlier(const struct io_document *document, uint32_t index, const struct io_format *format)
{
    for (uint32_t i = 0; format->table && i < index; i++)
        if (format->writes(&document->arrays[i]) &&
            document->arrays[i].shape.extent[0] == document->arrays[index].shape.extent[0])
            return true;
    return false;
}

/* What goes into a file for one array of the document: that one alone; with those behind it, for tables; or all with
 * the inputs behind them. */
static struct io_document document_of_file(const struct io_document *document, uint32_t index,
                                           const struct io_format *format, struct fields *fields)
{
    const struct fields *all = document->context;
    const struct plan *plan = all->state->plan;
    struct io_document file = *document;
    file.context = fields;
    *fields = *all;
    if (!format->together) {
        file.count = 0;
        for (uint32_t i = index; i == index || (format->table && i < document->count); i++)
            add_field(&file, all->state, all->field[i]);
        return file;
    }
    for (uint32_t i = 0; i < plan->plugin->about.fields.count && file.count < IO_ARRAYS_MAX; i++)
        if (!state_counts(plan->fields[i].about) && !plan->fields[i].absent)
            add_field(&file, all->state, i);
    return file;
}

/* Where a file for one array goes: <field>-<step>.<format>; of films, which the later ones are added to,
 * <field>.<format>; of tables, which the later ones replace, the first to <plugin>.<format>, others to
 * <plugin>-<field>.<format>. */
static void name_file(const struct output *output, const struct io_document *document, uint32_t index,
                      const struct io_format *format, char path[SETTINGS_PATH_MAX + 64])
{
    const struct fields *all = document->context;
    const char *plugin = all->state->plan->plugin->about.name, *field = document->arrays[index].name;
    bool first = true;
    for (uint32_t i = 0; i < index; i++)
        first = first && !format->writes(&document->arrays[i]);
    if (format->append)
        snprintf(path, SETTINGS_PATH_MAX + 64, "%s/%s.%s", output->folder, field, format->name);
    else if (!format->table)
        snprintf(path, SETTINGS_PATH_MAX + 64, "%s/%s-%010llu.%s", output->folder, field,
                 (unsigned long long) document->header.step, format->name);
    else
        snprintf(path, SETTINGS_PATH_MAX + 64, "%s/%s%s%s.%s", output->folder, plugin, first ? "" : "-",
                 first ? "" : field, format->name);
}

static bool is_listed(const struct output *output, const char *path)
{
    for (uint32_t i = 0; i < output->count; i++)
        if (strcmp(output->paths[i], path) == 0)
            return true;
    return false;
}

/* A file for one array of the document. A table or a film is new at the first output alone. */
static int write_array(struct output *output, const struct io_document *document, uint32_t index,
                       const struct io_format *format, struct error *error)
{
    struct fields fields;
    struct io_document file = document_of_file(document, index, format, &fields);
    char path[SETTINGS_PATH_MAX + 64];
    name_file(output, document, index, format, path);
    const bool later = (format->table || format->append) && is_listed(output, path);
    int (*const put)(const struct io_format *format, const char *path, struct io_document *document,
                     const struct io_options *options, struct error *error) =
        format->append && later ? io_append : io_write;
    if (!output->recalling && put(format, path, &file, &output->how, error) != 0)
        return error->status;
    return later ? 0 : remember(output, path, error);
}

/* Is a file of this name the field in that format, and at which step? */
static bool is_member(const char *name, const char *field, const struct io_format *format, uint64_t *step)
{
    const size_t length = strlen(field);
    char *end;
    if (strncmp(name, field, length) != 0 || name[length] != '-')
        return false;
    *step = strtoull(name + length + 1, &end, 10);
    return *end == '.' && strcmp(end + 1, format->name) == 0;
}

/* The files of the field that the run has written in that format, in the list `path`. */
static int write_members(const struct output *output, const char *field, const struct io_format *format,
                         const char *path, struct error *error)
{
    uint64_t count = 0;
    struct io_member *members = malloc(output->count * sizeof *members);
    if (!members)
        return error_memory(error, output->count * sizeof *members, "the list of a series");
    for (uint32_t i = 0; i < output->count; i++) {
        members[count].file = output->paths[i] + strlen(output->folder) + 1;
        count += is_member(members[count].file, field, format, &members[count].step);
    }
    const int status = io_write_index(format, path, members, count, error);
    free(members);
    return status;
}

/* <field>.<index>: the list of a series, which the next one replaces. */
static int write_index(struct output *output, const char *field, const struct io_format *format, struct error *error)
{
    char path[SETTINGS_PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s.%s", output->folder, field, format->index);
    if (!output->recalling && write_members(output, field, format, path, error) != 0)
        return error->status;
    return is_listed(output, path) ? 0 : remember(output, path, error);
}

static int write_formats(struct output *output, const struct io_document *document, uint32_t index, struct error *error)
{
    const struct output_series *series = current_series(output);
    for (uint32_t f = 0; f < series->format_count; f++) {
        const struct io_format *format = series->formats[f];
        if (!format->writes(&document->arrays[index]) || goes_with_earlier(document, index, format))
            continue;
        if (write_array(output, document, index, format, error) != 0 ||
            (format->index && write_index(output, document->arrays[index].name, format, error) != 0))
            return error->status;
    }
    return 0;
}

static int write_fields(struct output *output, const struct io_document *document, struct error *error)
{
    for (uint32_t i = 0; i < document->count; i++)
        if (write_formats(output, document, i, error) != 0)
            return error->status;
    return 0;
}

/* Does a file of these formats say where it comes from? */
static bool have_notes(const struct output *output)
{
    const struct output_series *series = current_series(output);
    for (uint32_t f = 0; f < series->format_count; f++)
        if (series->formats[f]->notes)
            return !output->recalling;
    return false;
}

static int write_state(struct output *output, struct state *state, uint64_t step, struct error *error)
{
    struct io_document *document;
    struct provenance provenance = {.config = NULL};
    int status = have_notes(output) ? provenance_open(state, &provenance, error) : 0;
    if (status == 0)
        status = output_document(state, &document, error);
    if (status == 0) {
        document->header.step = step;
        if (provenance.config)
            provenance_note(&provenance, &document->header);
        status = write_fields(output, document, error);
        document->close(document);
    }
    provenance_close(&provenance);
    return status;
}

static int write_states(struct output *output, uint64_t step, struct error *error)
{
    if (write_state(output, output->instance->state, step, error) != 0 ||
        (output->analysis && write_state(output, output->analysis->state, step, error) != 0))
        return error->status;
    output->written = current_series(output)->last = step;
    return 0;
}

static int write_row(struct output *output, uint64_t step, struct error *error)
{
    if (write_metrics(output, error) != 0)
        return error->status;
    output->row = step;
    return 0;
}

/* What the summary shows, where the row of this step was written before the run was resumed. */
static int measure_again(struct output *output, struct error *error)
{
    if (!output->metrics.measured && metrics_measure(&output->metrics, error) != 0)
        return error->status;
    if (output->analysis_metrics.measured || !output->analysis_metrics.file)
        return 0;
    return analysis_follow(output->analysis, error) != 0 ? error->status
                                                         : metrics_measure(&output->analysis_metrics, error);
}

static bool is_multiple(uint64_t step, uint64_t every)
{
    return every && step % every == 0;
}

int output_write(struct output *output, bool final, struct error *error)
{
    const struct state *state = output->instance->state;
    const bool due = final || is_multiple(state->step, current_series(output)->every);
    const bool row_due = due || is_multiple(state->step, state->plan->settings.metrics_every);
    if (due && output->written != state->step && write_states(output, state->step, error) != 0)
        return error->status;
    if (row_due && output->row != state->step && write_row(output, state->step, error) != 0)
        return error->status;
    return final ? measure_again(output, error) : 0;
}

/* ---- Going on ------------------------------------------------------------------------------------------------ */

/* Lists the files of the current series, of which the first may come at step `from`. */
static int recall_series(struct output *output, uint64_t from, struct error *error)
{
    struct output_series *series = current_series(output);
    const uint64_t last = series->last;
    int status = 0;
    for (uint64_t step = from; status == 0 && step < last; step = next_multiple(series->every, step))
        if (is_multiple(step, series->every))
            status = write_states(output, step, error);
    return status == 0 ? write_states(output, last, error) : status;
}

static int recall(struct output *output, const struct output_past *past, struct error *error)
{
    uint64_t from = 0;
    int status = 0;
    output->recalling = true;
    for (uint32_t i = 0; status == 0 && i < past->series_count; i++) {
        output->series[output->series_count++] = past->series[i];
        if (past->series[i].last < from) /* it was begun, and nothing came of it */
            continue;
        status = recall_series(output, from, error);
        from = past->series[i].last + 1;
    }
    output->recalling = false;
    output->synced = output->count;
    output->written = past->written;
    output->row = past->row;
    return status;
}

/* Of a film, what was added after the checkpoint is taken away, or what was cut short. */
static int cut_films(const struct output *output, struct error *error)
{
    for (uint32_t i = 0; output->written != UINT64_MAX && i < output->count; i++) {
        const struct io_format *format = io_format_of_path(output->paths[i]);
        if (format && format->append && io_film_cut(output->paths[i], output->written, error) != 0)
            return error->status;
    }
    return 0;
}

static bool is_same(const struct output_series *a, const struct output_series *b)
{
    return a->every == b->every && a->format_count == b->format_count &&
           memcmp(a->formats, b->formats, a->format_count * sizeof a->formats[0]) == 0;
}

/* What is written from now on, if that is not as before. */
static void begin_series(struct output *output)
{
    const struct settings *settings = &output->instance->state->plan->settings;
    struct output_series series = {.every = settings->every, .format_count = settings->format_count};
    memcpy(series.formats, settings->formats, sizeof series.formats);
    if (output->series_count > 0) {
        const struct output_series *before = current_series(output);
        series.last = before->last;
        if (is_same(before, &series))
            return;
    }
    output->series[output->series_count++] = series;
}

struct output_past output_past(const struct output *output)
{
    struct output_past past = {.written = output->written,
                               .row = output->row,
                               .metrics_bytes = output->metrics.bytes,
                               .analysis_metrics_bytes = output->analysis_metrics.bytes,
                               .series = output->series};
    memcpy(past.bounds, output->how.bounds, sizeof past.bounds);
    past.series_count = output->written == UINT64_MAX ? 0 : output->series_count;
    return past;
}

int output_sync(struct output *output, struct error *error)
{
    for (uint32_t i = 0; i < output->count; i++) {
        const struct io_format *format = i < output->synced ? io_format_of_path(output->paths[i]) : NULL;
        const bool grows = format && format->append;
        if ((i >= output->synced || grows) && folder_sync(output->paths[i], error) != 0)
            return error->status;
    }
    output->synced = output->count;
    if (output->metrics.file && folder_sync(output->metrics.path, error) != 0)
        return error->status;
    return output->analysis_metrics.file ? folder_sync(output->analysis_metrics.path, error) : 0;
}

/* ---- Opening and closing ------------------------------------------------------------------------------------ */

static int start(struct output *output, const struct output_past *past, struct error *error)
{
    output->series = calloc(past->series_count + 1, sizeof *output->series);
    if (!output->series)
        return error_memory(error, past->series_count, "output");
    if (fix_bounds(output, past, error) != 0 || open_all_metrics(output, past, error) != 0 ||
        recall(output, past, error) != 0 || cut_films(output, error) != 0)
        return error->status;
    begin_series(output);
    return 0;
}

int output_open(struct instance *instance, struct analysis *analysis, const struct output_past *past,
                struct output **out, struct error *error)
{
    static const struct output_past nothing = {.written = UINT64_MAX, .row = UINT64_MAX};
    const struct plan *plan = instance->state->plan;
    struct output *output = calloc(1, sizeof *output);
    *out = NULL;
    if (!output)
        return error_memory(error, sizeof *output, "output");
    output->instance = instance;
    output->analysis = analysis;
    output->folder = plan->settings.output;
    output->how = plan->settings.how;
    if (start(output, past ? past : &nothing, error) != 0) {
        output_close(output);
        return error->status;
    }
    *out = output;
    return 0;
}

void output_close(struct output *output)
{
    if (!output)
        return;
    metrics_close(&output->metrics);
    metrics_close(&output->analysis_metrics);
    for (uint32_t i = 0; i < output->count; i++)
        free(output->paths[i]);
    free(output->paths);
    free(output->series);
    free(output);
}
