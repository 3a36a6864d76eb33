#include "output.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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
    memcpy(array->range, about->range, sizeof array->range);
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

/* ---- The folder --------------------------------------------------------------------------------------------- */

static int make_folder(const char *folder, struct error *error)
{
    char path[SETTINGS_PATH_MAX];
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = path + 1;; slash++) {
        slash = strchr(slash, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return error_set(error, STATUS_OUTPUT, "%s: cannot make this folder: %s", path, strerror(errno));
        if (!slash)
            return 0;
        *slash = '/';
    }
}

static int check_empty(const char *folder, struct error *error)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return error_set(error, STATUS_OUTPUT, "%s: cannot open this output folder: %s", folder, strerror(errno));
    int found = 0;
    for (struct dirent *entry; !found && (entry = readdir(entries));)
        found = strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(entries);
    if (found)
        return error_set(error, STATUS_OUTPUT,
                         "%s: holds files already; give another folder by [run] output, or --force to write over them",
                         folder);
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
                        struct error *error)
{
    if (metrics_open(metrics, instance, output->folder, name, error) != 0)
        return error->status;
    return metrics->file ? remember(output, metrics->path, error) : 0;
}

static int open_all_metrics(struct output *output, struct error *error)
{
    char name[192];
    if (open_metrics(output, &output->metrics, output->instance, "metrics.csv", error) != 0)
        return error->status;
    if (!output->analysis)
        return 0;
    snprintf(name, sizeof name, "%.128s-metrics.csv", output->analysis->state->plan->plugin->about.name);
    return open_metrics(output, &output->analysis_metrics, output->analysis->instance, name, error);
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

/* Pictures of particles all show what fits the first state. */
static int fix_bounds(struct output *output, struct error *error)
{
    struct state *state = output->instance->state;
    const struct settings *settings = &state->plan->settings;
    struct io_document *document;
    bool pictures = false;
    for (uint32_t f = 0; f < settings->format_count; f++)
        pictures = pictures || settings->formats[f] == io_format_named("png");
    if (!pictures)
        return 0;
    if (output_document(state, &document, error) != 0)
        return error->status;
    const int status = io_fix_bounds(document, &output->how, error);
    document->close(document);
    return status;
}

/* ---- Opening and closing ------------------------------------------------------------------------------------ */

int output_open(struct instance *instance, struct analysis *analysis, bool force, struct output **out,
                struct error *error)
{
    const struct plan *plan = instance->state->plan;
    struct output *output = calloc(1, sizeof *output);
    *out = NULL;
    if (!output)
        return error_memory(error, sizeof *output, "output");
    output->instance = instance;
    output->analysis = analysis;
    output->written = output->row = UINT64_MAX;
    output->folder = plan->settings.output;
    output->how = plan->settings.how;
    int status = fix_bounds(output, error);
    if (status == 0)
        status = make_folder(output->folder, error);
    if (status == 0 && !force)
        status = check_empty(output->folder, error);
    if (status == 0)
        status = open_all_metrics(output, error);
    if (status != 0) {
        output_close(output);
        return status;
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
    free(output);
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

static uint64_t next_multiple(uint64_t every, uint64_t step)
{
    return every ? (step / every + 1) * every : UINT64_MAX;
}

uint64_t output_next(const struct output *output)
{
    const struct state *state = output->instance->state;
    const struct settings *settings = &state->plan->settings;
    const uint64_t next = next_multiple(settings->every, state->step);
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

/* Where a file for one array goes: <field>-<step>.<format>; of tables, which the later ones replace, the first to
 * <plugin>.<format>, others to <plugin>-<field>.<format>. */
static void name_file(const struct output *output, const struct io_document *document, uint32_t index,
                      const struct io_format *format, char path[SETTINGS_PATH_MAX + 64])
{
    const struct fields *all = document->context;
    const char *plugin = all->state->plan->plugin->about.name, *field = document->arrays[index].name;
    bool first = true;
    for (uint32_t i = 0; i < index; i++)
        first = first && !format->writes(&document->arrays[i]);
    if (!format->table)
        snprintf(path, SETTINGS_PATH_MAX + 64, "%s/%s-%010llu.%s", output->folder, field,
                 (unsigned long long) document->header.step, format->name);
    else
        snprintf(path, SETTINGS_PATH_MAX + 64, "%s/%s%s%s.%s", output->folder, plugin, first ? "" : "-",
                 first ? "" : field, format->name);
}

/* A file for one array of the document. A table is new at the first output alone. */
static int write_array(struct output *output, const struct io_document *document, uint32_t index,
                       const struct io_format *format, struct error *error)
{
    struct fields fields;
    struct io_document file = document_of_file(document, index, format, &fields);
    char path[SETTINGS_PATH_MAX + 64];
    name_file(output, document, index, format, path);
    if (io_write(format, path, &file, &output->how, error) != 0)
        return error->status;
    return format->table && output->written != UINT64_MAX ? 0 : remember(output, path, error);
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

/* <field>.<index>: the list of all files of the field that the run has written in that format. */
static int write_index(struct output *output, const char *field, const struct io_format *format, struct error *error)
{
    uint64_t count = 0;
    char path[SETTINGS_PATH_MAX + 64];
    struct io_member *members = malloc(output->count * sizeof *members);
    if (!members)
        return error_memory(error, output->count * sizeof *members, "the list of a series");
    for (uint32_t i = 0; i < output->count; i++) {
        members[count].file = output->paths[i] + strlen(output->folder) + 1;
        count += is_member(members[count].file, field, format, &members[count].step);
    }
    snprintf(path, sizeof path, "%s/%s.%s", output->folder, field, format->index);
    int status = io_write_index(format, path, members, count, error);
    free(members);
    return status == 0 && count == 1 ? remember(output, path, error) : status;
}

static int write_fields(struct output *output, const struct io_document *document, struct error *error)
{
    const struct settings *settings = &output->instance->state->plan->settings;
    for (uint32_t i = 0; i < document->count; i++)
        for (uint32_t f = 0; f < settings->format_count; f++)
            if (settings->formats[f]->writes(&document->arrays[i]) &&
                !goes_with_earlier(document, i, settings->formats[f]) &&
                (write_array(output, document, i, settings->formats[f], error) != 0 ||
                 (settings->formats[f]->index &&
                  write_index(output, document->arrays[i].name, settings->formats[f], error) != 0)))
                return error->status;
    return 0;
}

static int write_state(struct output *output, struct state *state, struct error *error)
{
    struct io_document *document;
    if (output_document(state, &document, error) != 0)
        return error->status;
    document->header.step = output->instance->state->step;
    int status = write_fields(output, document, error);
    document->close(document);
    return status;
}

static bool is_multiple(uint64_t step, uint64_t every)
{
    return every && step % every == 0;
}

int output_write(struct output *output, bool final, struct error *error)
{
    struct state *state = output->instance->state;
    const struct settings *settings = &state->plan->settings;
    const bool due = final || is_multiple(state->step, settings->every);
    if (due && output->written != state->step) {
        if (write_state(output, state, error) != 0 ||
            (output->analysis && write_state(output, output->analysis->state, error) != 0))
            return error->status;
        output->written = state->step;
    }
    if ((due || is_multiple(state->step, settings->metrics_every)) && output->row != state->step) {
        if (write_metrics(output, error) != 0)
            return error->status;
        output->row = state->step;
    }
    return 0;
}
