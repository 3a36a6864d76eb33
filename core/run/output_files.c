#include "run/output_files.h"
#include "run/output_document.h"
#include "run/provenance.h"
#include "run/snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- The list of files ------------------------------------------------------------------------------------------ */

struct output_series *output_series_now(const struct output *output)
{
    return &output->series[output->series_count - 1];
}

int output_files_list(struct output *output, const char *path, struct engine_error *error)
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

static bool is_listed(const struct output *output, const char *path)
{
    for (uint32_t i = 0; i < output->count; i++)
        if (strcmp(output->paths[i], path) == 0)
            return true;
    return false;
}

/* ---- Snapshots ---------------------------------------------------------------------------------------------- */

int output_files_finish(struct output *output, struct engine_error *error)
{
    struct snapshot_writing *writing = output->writing;
    output->writing = NULL;
    return writing ? snapshot_finish(writing, error) : 0;
}

/* Stepping goes on while it is written. */
static int start_snapshot(struct output *output, const struct state *state, const char *path,
                          struct engine_error *error)
{
    struct instance *instance = output->instance;
    if (output_files_finish(output, error) != 0)
        return error->status;
    if (state != instance->state)
        instance = output->analysis->instance;
    return snapshot_start(instance, NULL, path, true, &output->writing, error);
}

/* ---- Files ------------------------------------------------------------------------------------------------------- */

/* Does the array go into the file of an earlier one: the table, or the whole state's? */
static bool goes_with_earlier(const struct io_document *document, uint32_t index, const struct io_format *format)
{
    for (uint32_t i = 0; (format->table || format->whole) && i < index; i++)
        if (format->writes(&document->arrays[i]) &&
            (format->whole || document->arrays[i].shape.extent[0] == document->arrays[index].shape.extent[0]))
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
            output_document_add(&file, all->field[i]);
        return file;
    }
    for (uint32_t i = 0; i < plan->plugin->about.fields.count && file.count < IO_ARRAYS_MAX; i++)
        if (!plan_is_result(plan->fields[i].about) && !plan->fields[i].absent)
            output_document_add(&file, i);
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

/* later: a file of that name was written before. */
static int write_file(struct output *output, struct io_document *file, const char *path, const struct io_format *format,
                      bool later, struct engine_error *error)
{
    const struct fields *fields = file->context;
    if (format->whole)
        return start_snapshot(output, fields->state, path, error);
    return (format->append && later ? io_append : io_write)(format, path, file, &output->how, error);
}

/* A file for one array of the document. A table or a film is new at the first output alone. */
static int write_array(struct output *output, const struct io_document *document, uint32_t index,
                       const struct io_format *format, struct engine_error *error)
{
    struct fields fields;
    struct io_document file = document_of_file(document, index, format, &fields);
    char path[SETTINGS_PATH_MAX + 64];
    name_file(output, document, index, format, path);
    const bool later = (format->table || format->append) && is_listed(output, path);
    if (!output->recalling && write_file(output, &file, path, format, later, error) != 0)
        return error->status;
    return later ? 0 : output_files_list(output, path, error);
}

/* The index of that path, opened and listed where it is the first time. NULL: an error. */
static struct io_index *find_index(struct output *output, const struct io_format *format, const char *path,
                                   struct engine_error *error)
{
    for (uint32_t i = 0; i < output->index_count; i++)
        if (strcmp(io_index_path(output->indexes[i]), path) == 0)
            return output->indexes[i];
    struct io_index **indexes = realloc(output->indexes, (output->index_count + 1) * sizeof *indexes);
    if (!indexes) {
        error_memory(error, sizeof *indexes, "the list of indexes");
        return NULL;
    }
    output->indexes = indexes;
    struct io_index *index = io_index_open(format, path, error);
    if (!index)
        return NULL;
    indexes[output->index_count++] = index;
    return output_files_list(output, path, error) == 0 ? index : NULL;
}

/* <field>.<ending>: the index of a series, in which the last file is listed. */
static int list_member(struct output *output, const struct io_document *document, uint32_t array,
                       const struct io_format *format, struct engine_error *error)
{
    const char *file = output->paths[output->count - 1] + strlen(output->folder) + 1;
    const struct io_member member = {file, document->header.step};
    char path[SETTINGS_PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s.%s", output->folder, document->arrays[array].name, format->index->ending);
    struct io_index *index = find_index(output, format, path, error);
    if (!index || io_index_add(index, &member, error) != 0)
        return error->status;
    const struct state *state = output->instance->state;
    return output->recalling ? 0 : io_index_write(index, state->step == state->plan->settings.steps, error);
}

static int write_formats(struct output *output, const struct io_document *document, uint32_t index,
                         struct engine_error *error)
{
    const struct output_series *series = output_series_now(output);
    for (uint32_t f = 0; f < series->format_count; f++) {
        const struct io_format *format = series->formats[f];
        if (!format->writes(&document->arrays[index]) || goes_with_earlier(document, index, format))
            continue;
        if (write_array(output, document, index, format, error) != 0 ||
            (format->index && list_member(output, document, index, format, error) != 0))
            return error->status;
    }
    return 0;
}

static int write_fields(struct output *output, const struct io_document *document, struct engine_error *error)
{
    for (uint32_t i = 0; i < document->count; i++)
        if (write_formats(output, document, i, error) != 0)
            return error->status;
    return 0;
}

/* Does a file of these formats say where it comes from? */
static bool have_notes(const struct output *output)
{
    const struct output_series *series = output_series_now(output);
    for (uint32_t f = 0; f < series->format_count; f++)
        if (series->formats[f]->notes)
            return !output->recalling;
    return false;
}

int output_files_write(struct output *output, struct state *state, uint64_t step, struct engine_error *error)
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
