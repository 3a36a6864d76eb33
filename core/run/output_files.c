#include "run/output_files.h"
#include "base/text.h"
#include "io/index.h"
#include "run/provenance.h"
#include "run/state_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = SETTINGS_PATH_MAX + 64 };

/* ---- The list of files ------------------------------------------------------------------------------------------ */

int output_files_list(struct output_files *files, const char *path, struct engine_error *error)
{
    if (files->count == files->capacity) {
        uint32_t capacity = files->capacity ? 2 * files->capacity : 16;
        char **paths = realloc(files->paths, capacity * sizeof *paths);
        if (!paths)
            return error_memory(error, capacity * sizeof *paths, "the list of files");
        files->paths = paths;
        uint64_t *frames = realloc(files->frames, capacity * sizeof *frames);
        if (!frames)
            return error_memory(error, capacity * sizeof *frames, "the list of files");
        files->frames = frames;
        files->capacity = capacity;
    }
    char *copy = strdup(path);
    if (!copy)
        return error_memory(error, strlen(path), "the list of files");
    files->frames[files->count] = 1;
    files->paths[files->count++] = copy;
    return 0;
}

void output_files_close(struct output_files *files)
{
    struct engine_error ignored; /* an earlier error was reported */
    output_files_finish(files, &ignored);
    for (uint32_t i = 0; i < files->count; i++)
        free(files->paths[i]);
    for (uint32_t i = 0; i < files->index_count; i++)
        io_index_close(files->indexes[i]);
    free(files->indexes);
    free(files->frames);
    free(files->paths);
}

/* ---- Snapshots ---------------------------------------------------------------------------------------------- */

int output_files_finish(struct output_files *files, struct engine_error *error)
{
    struct snapshot_writing *writing = files->writing;
    files->writing = NULL;
    return writing ? snapshot_finish(writing, error) : 0;
}

/* The run takes further steps while the snapshot is written. */
static int start_snapshot(struct output_files *files, struct instance *instance, const char *path,
                          struct engine_error *error)
{
    if (output_files_finish(files, error) != 0)
        return error->status;
    return snapshot_start(instance, NULL, path, true, &files->writing, error);
}

/* ---- Files -------------------------------------------------------------------------------------------------- */

/* The output of one step. */
struct moment {
    struct output_files *files;
    struct instance *instance;
    const struct output_series *series;
    const struct io_document *document; /* of the instance's state */
    bool final;
};

static bool is_held(const struct moment *moment, uint32_t index, const struct io_format *format)
{
    return io_writes(format, &moment->document->arrays[index], &moment->files->how);
}

/* Is the array written to the file of an earlier array: to its table, or to the file of the whole state? */
static bool goes_with_earlier(const struct moment *moment, uint32_t index, const struct io_format *format)
{
    const struct io_document *document = moment->document;
    for (uint32_t i = 0; (format->table || format->whole) && i < index; i++)
        if (is_held(moment, i, format) &&
            (format->whole || document->arrays[i].shape.extent[0] == document->arrays[index].shape.extent[0]))
            return true;
    return false;
}

/* The document of the file of one array: that array alone; for tables, with the arrays behind it; or all arrays and the
 * inputs. */
static struct io_document document_of_file(const struct io_document *document, uint32_t index,
                                           const struct io_format *format, struct state_document *context)
{
    const struct state_document *all = document->context;
    const struct plan *plan = all->state->plan;
    struct io_document file = *document;
    file.context = context;
    *context = *all;
    if (!format->together) {
        file.count = 0;
        for (uint32_t i = index; i == index || (format->table && i < document->count); i++)
            state_document_add(&file, all->field[i]);
        return file;
    }
    for (uint32_t i = 0; i < plan->plugin->about.fields.count && file.count < IO_ARRAYS_MAX; i++)
        if (!plan_is_result(plan->fields[i].about) && !plan->fields[i].absent)
            state_document_add(&file, i);
    return file;
}

/* Names the file of one array: <field>-<step>.<format>; for formats that are appended to, <field>.<format>; for tables,
 * which are replaced, <plugin>.<format> for the first and <plugin>-<field>.<format> for the others. */
static void name_file(const struct moment *moment, uint32_t index, const struct io_format *format, char path[PATH])
{
    const struct io_document *document = moment->document;
    const char *folder = moment->files->folder, *field = document->arrays[index].name;
    const char *plugin = moment->instance->state->plan->plugin->about.name;
    bool first = true;
    for (uint32_t i = 0; i < index; i++)
        first = first && !is_held(moment, i, format);
    if (format->append)
        snprintf(path, PATH, "%s/%s.%s", folder, field, format->name);
    else if (!format->table)
        snprintf(path, PATH, "%s/%s-%010llu.%s", folder, field, (unsigned long long) document->header.step,
                 format->name);
    else
        snprintf(path, PATH, "%s/%s%s%s.%s", folder, plugin, first ? "" : "-", first ? "" : field, format->name);
}

/* Returns the number of frames of a listed file, or NULL where it is not listed. */
static uint64_t *find_frames(const struct output_files *files, const char *path)
{
    for (uint32_t i = 0; i < files->count; i++)
        if (strcmp(files->paths[i], path) == 0)
            return &files->frames[i];
    return NULL;
}

/* Writes the file of one array. A table, or a file that is appended to, is listed once. */
static int write_array(const struct moment *moment, uint32_t index, const struct io_format *format,
                       struct engine_error *error)
{
    struct output_files *files = moment->files;
    struct state_document context;
    struct io_document file = document_of_file(moment->document, index, format, &context);
    char path[PATH];
    int status = 0;
    name_file(moment, index, format, path);
    uint64_t *frames = format->table || format->append ? find_frames(files, path) : NULL;
    if (!files->listing_only && format->whole)
        status = start_snapshot(files, moment->instance, path, error);
    else if (!files->listing_only)
        status = (format->append && frames ? io_append : io_write)(format, path, &file, &files->how, error);
    if (status == 0 && frames)
        ++*frames;
    return status == 0 && !frames ? output_files_list(files, path, error) : status;
}

/* Finds the index of that path. The first time it is opened and listed. NULL: an error. */
static struct io_index *find_index(struct output_files *files, const struct io_format *format, const char *path,
                                   struct engine_error *error)
{
    for (uint32_t i = 0; i < files->index_count; i++)
        if (strcmp(io_index_path(files->indexes[i]), path) == 0)
            return files->indexes[i];
    struct io_index **indexes = realloc(files->indexes, (files->index_count + 1) * sizeof *indexes);
    if (!indexes) {
        error_memory(error, sizeof *indexes, "the list of indexes");
        return NULL;
    }
    files->indexes = indexes;
    struct io_index *index = io_index_open(format, path, error);
    if (!index)
        return NULL;
    indexes[files->index_count++] = index;
    return output_files_list(files, path, error) == 0 ? index : NULL;
}

/* Adds the last file to the index of its series, <field>.<ending>. */
static int add_to_index(const struct moment *moment, uint32_t array, const struct io_format *format,
                        struct engine_error *error)
{
    struct output_files *files = moment->files;
    const char *file = files->paths[files->count - 1] + strlen(files->folder) + 1;
    const struct io_member member = {file, moment->document->header.step};
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s.%s", files->folder, moment->document->arrays[array].name, format->index->ending);
    struct io_index *index = find_index(files, format, path, error);
    if (!index || io_index_add(index, &member, error) != 0)
        return error->status;
    return files->listing_only ? 0 : io_index_write(index, moment->final, error);
}

static int write_formats(const struct moment *moment, uint32_t array, struct engine_error *error)
{
    const struct output_series *series = moment->series;
    for (uint32_t f = 0; f < series->format_count; f++) {
        const struct io_format *format = series->formats[f];
        if (!is_held(moment, array, format) || goes_with_earlier(moment, array, format))
            continue;
        if (write_array(moment, array, format, error) != 0 ||
            (format->index && add_to_index(moment, array, format, error) != 0))
            return error->status;
    }
    return 0;
}

bool output_series_has_files(const struct output_series *series)
{
    for (uint32_t f = 0; f < series->format_count; f++)
        if (!series->formats[f]->append && !series->formats[f]->table)
            return true;
    return false;
}

/* Does a format of the series keep notes about the origin of a state? */
static bool keeps_notes(const struct output_series *series)
{
    for (uint32_t f = 0; f < series->format_count; f++)
        if (series->formats[f]->notes)
            return true;
    return false;
}

/* Removes the arrays of the fields that the series does not write. */
static void keep_fields(struct io_document *document, const char *fields)
{
    struct state_document *context = document->context;
    const uint32_t count = document->count;
    document->count = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!*fields || text_has_word(fields, document->arrays[i].name)) {
            document->arrays[document->count] = document->arrays[i];
            context->field[document->count++] = context->field[i];
        }
}

int output_files_write(struct output_files *files, struct instance *instance, const struct output_series *series,
                       uint64_t step, bool final, struct engine_error *error)
{
    struct io_document *document = NULL;
    struct provenance provenance = {.config = NULL};
    const bool notes = !files->listing_only && keeps_notes(series);
    int status = notes ? provenance_open(instance->state, &provenance, error) : 0;
    if (status == 0 && (status = state_document_open(instance->state, &document, error)) == 0) {
        const struct moment moment = {files, instance, series, document, final};
        document->header.step = step;
        keep_fields(document, series->fields);
        if (notes)
            provenance_note(&provenance, &document->header);
        for (uint32_t i = 0; status == 0 && i < document->count; i++)
            status = write_formats(&moment, i, error);
        document->close(document);
    }
    provenance_close(&provenance);
    return status;
}
