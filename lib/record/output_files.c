#include "record/output_files.h"
#include "base/text.h"
#include "files/index.h"
#include "record/provenance.h"
#include "record/state_document.h"
#include "record/view.h"
#include "tiles/section_tiles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME = 256 };

/* ---- The list of files ------------------------------------------------------------------------------------------ */

/* Adds an entry. NULL: no memory. */
static struct output_file *add_file(struct output_files *files, const char *name)
{
    if (files->count == files->capacity) {
        const uint32_t capacity = files->capacity ? 2 * files->capacity : 16;
        struct output_file *list = realloc(files->list, capacity * sizeof *list);
        if (!list)
            return NULL;
        files->list = list;
        files->capacity = capacity;
    }
    struct output_file *file = &files->list[files->count];
    *file = (struct output_file){0};
    if (asprintf(&file->path, "%s/%s", files->folder->path, name) < 0)
        return NULL;
    file->name = file->path + strlen(files->folder->path) + 1;
    files->count++;
    return file;
}

static struct output_file *find_file(const struct output_files *files, const char *name)
{
    for (uint32_t i = 0; i < files->count; i++)
        if (strcmp(files->list[i].name, name) == 0)
            return &files->list[i];
    return NULL;
}

static int list_file(struct output_files *files, struct output_file *file, const char *name, struct engine_error *error)
{
    if (!file)
        file = add_file(files, name);
    if (!file)
        return error_memory(error, sizeof *file, "the list of files");
    file->frames++;
    if (!files->listing_only)
        file->written = file->unsynced = true;
    return 0;
}

int output_files_list(struct output_files *files, const char *name, struct engine_error *error)
{
    return list_file(files, find_file(files, name), name, error);
}

void output_files_close(struct output_files *files)
{
    struct engine_error ignored; /* an earlier error was reported */
    output_files_finish(files, &ignored);
    for (uint32_t i = 0; i < files->count; i++)
        free(files->list[i].path);
    for (uint32_t i = 0; i < files->index_count; i++)
        io_index_close(files->indexes[i]);
    free(files->indexes);
    free(files->list);
}

/* ---- Snapshots ---------------------------------------------------------------------------------------------- */

int output_files_finish(struct output_files *files, struct engine_error *error)
{
    struct snapshot_writing *writing = files->writing;
    files->writing = NULL;
    return writing ? snapshot_finish(writing, error) : 0;
}

/* The run takes further steps while the snapshot is written. */
static int start_snapshot(struct output_files *files, struct instance *instance, const char *name,
                          struct engine_error *error)
{
    if (output_files_finish(files, error) != 0)
        return error->status;
    return snapshot_start(instance, NULL, files->folder, name, true, &files->writing, error);
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
    for (uint32_t i = 0; (io_has(format, ENGINE_FORMAT_TABLES) || io_is_whole(format)) && i < index; i++)
        if (is_held(moment, i, format) &&
            (io_is_whole(format) || document->arrays[i].shape.extent[0] == document->arrays[index].shape.extent[0]))
            return true;
    return false;
}

/* Tells in the header which part of the grid the file holds. A pattern of blocks has no place on the torus. */
static void describe_part(struct io_document *file, uint32_t field)
{
    struct state_document *context = file->context;
    struct io_header *header = &file->header;
    if (!context->selected[field] || (file->squares && file->squares->wide))
        return;
    const struct region *region = &context->region[field];
    header->pattern.placed = region_block_cells(region) == 1;
    for (int axis = 0; axis < 3; axis++) {
        header->pattern.at[axis] = header->pattern.placed ? (int64_t) region->begin[axis] : 0;
        header->pattern.grid[axis] = header->pattern.placed ? header->pattern.grid[axis] : 0;
    }
    struct region noted = *region;
    for (int axis = 0; axis < 3; axis++) {
        noted.begin[axis] -= plan_middle(context->state->plan, axis);
        noted.end[axis] -= plan_middle(context->state->plan, axis);
    }
    if (header->notes > 0 && header->notes < IO_NOTES_MAX)
        header->note[header->notes++] =
            (struct engine_file_note){"Region", selection_note(&noted, &file->arrays[0], context->note)};
}

/* The document of the file of one array: that array alone; for tables, with the arrays behind it; or all arrays and the
 * inputs, of particles or of the whole state. */
static struct io_document document_of_file(const struct io_document *document, uint32_t index,
                                           const struct io_format *format, struct state_document *context)
{
    const struct state_document *all = document->context;
    const struct plan *plan = all->state->plan;
    struct io_document file = *document;
    file.context = context;
    *context = *all;
    const bool particles = document->arrays[index].kind == ENGINE_PARTICLES;
    if (!io_is_together(format) || (!io_is_whole(format) && !particles)) {
        file.count = 0;
        for (uint32_t i = index; i == index || (io_has(format, ENGINE_FORMAT_TABLES) && i < document->count); i++)
            state_document_add(&file, all->field[i]);
        describe_part(&file, all->field[index]);
        if (io_is_picture(format) && particles)
            state_document_add_masses(&file);
        return file;
    }
    for (uint32_t i = 0; i < plan->plugin->about.fields.count && file.count < IO_ARRAYS_MAX; i++)
        if (!plan_is_result(plan->fields[i].about) && !plan->fields[i].absent &&
            (io_is_whole(format) || plan->fields[i].about->kind == ENGINE_PARTICLES))
            state_document_add(&file, i);
    return file;
}

/* Names the file of one array: <field>-<step>.<format>; for formats that are appended to, <field>.<format>; for tables,
 * which are replaced, <plugin>.<format> for the first and <plugin>-<field>.<format> for the others. */
static void name_file(const struct moment *moment, uint32_t index, const struct io_format *format, char name[NAME])
{
    const struct io_document *document = moment->document;
    const char *field = document->arrays[index].name;
    const char *plugin = moment->instance->state->plan->plugin->about.name;
    bool first = true;
    for (uint32_t i = 0; i < index; i++)
        first = first && !is_held(moment, i, format);
    if (io_grows(format))
        snprintf(name, NAME, "%s.%s", field, format->about->name);
    else if (!io_has(format, ENGINE_FORMAT_TABLES))
        snprintf(name, NAME, "%s-%010llu.%s", field, (unsigned long long) document->header.frame.step,
                 format->about->name);
    else
        snprintf(name, NAME, "%s%s%s.%s", plugin, first ? "" : "-", first ? "" : field, format->about->name);
}

/* Refuses a format of cells for a pattern of which only the squares are known. */
static int refuse_wide(const struct moment *moment, const char *name, struct engine_error *error)
{
    const struct io_squares *squares = moment->document->squares;
    return error_set(
        error, ENGINE_STATUS_OUTPUT,
        "%s/%s: the pattern lies in the columns %lld to %lld and the rows %lld to %lld; files and pictures show "
        "cells from -2^28 to 2^28 - 1: set [output] region, or write the format mc, which holds the whole tree",
        moment->files->folder->path, name, (long long) squares->begin[0], (long long) squares->end[0] - 1,
        (long long) squares->begin[1], (long long) squares->end[1] - 1);
}

/* All pictures of particles have the scale of the first one. */
static int write_file(const struct moment *moment, struct io_document *file, const struct io_format *format,
                      const char *name, bool exists, struct engine_error *error)
{
    struct output_files *files = moment->files;
    if (io_is_whole(format))
        return start_snapshot(files, moment->instance, name, error);
    if (file->squares && file->squares->wide && !io_takes_squares(format))
        return refuse_wide(moment, name, error);
    if (io_is_picture(format) && view_fix_white(file, &files->how, error) != 0)
        return error->status;
    return (io_grows(format) && exists ? io_append : io_write_in)(format, files->folder, name, file, &files->how,
                                                                  error);
}

/* Writes the file of one array. A table, or a file that is appended to, is listed once. */
static int write_array(const struct moment *moment, uint32_t index, const struct io_format *format,
                       struct engine_error *error)
{
    struct output_files *files = moment->files;
    struct state_document context;
    struct io_document file = document_of_file(moment->document, index, format, &context);
    char name[NAME];
    int status = 0;
    name_file(moment, index, format, name);
    struct output_file *listed =
        io_has(format, ENGINE_FORMAT_TABLES) || io_grows(format) ? find_file(files, name) : NULL;
    if (!files->listing_only)
        status = write_file(moment, &file, format, name, listed, error);
    return status == 0 ? list_file(files, listed, name, error) : status;
}

/* Finds the index of that name. The first time it is opened. NULL: an error. */
static struct io_index *find_index(struct output_files *files, const struct io_format *format, const char *name,
                                   struct engine_error *error)
{
    for (uint32_t i = 0; i < files->index_count; i++)
        if (strcmp(io_index_name(files->indexes[i]), name) == 0)
            return files->indexes[i];
    struct io_index **indexes = realloc(files->indexes, (files->index_count + 1) * sizeof *indexes);
    if (!indexes) {
        error_memory(error, sizeof *indexes, "the list of indexes");
        return NULL;
    }
    files->indexes = indexes;
    struct io_index *index = io_index_open(format, files->folder, name, error);
    if (index)
        indexes[files->index_count++] = index;
    return index;
}

/* Adds the last file to the index of its series, <field>.<ending>. */
static int add_to_index(const struct moment *moment, uint32_t array, const struct io_format *format,
                        struct engine_error *error)
{
    struct output_files *files = moment->files;
    const struct io_member member = {files->list[files->count - 1].name, moment->document->header.frame.step};
    char name[NAME];
    snprintf(name, sizeof name, "%s.%s", moment->document->arrays[array].name, format->about->index->ending);
    struct io_index *index = find_index(files, format, name, error);
    if (!index || io_index_add(index, &member, error) != 0 || output_files_list(files, name, error) != 0)
        return error->status;
    return files->listing_only ? 0 : io_index_write(index, moment->final, error);
}

static int write_formats(const struct moment *moment, uint32_t array, struct engine_error *error)
{
    const struct output_series *series = moment->series;
    for (uint32_t f = 0; f < series->format_count; f++) {
        const struct io_format *format = series->formats[f];
        if (io_film(format) || !is_held(moment, array, format) || goes_with_earlier(moment, array, format))
            continue;
        if (write_array(moment, array, format, error) != 0 ||
            (format->about->index && add_to_index(moment, array, format, error) != 0))
            return error->status;
    }
    return 0;
}

bool output_series_has_files(const struct output_series *series)
{
    for (uint32_t f = 0; f < series->format_count; f++)
        if (!io_grows(series->formats[f]) && !io_has(series->formats[f], ENGINE_FORMAT_TABLES) &&
            !io_film(series->formats[f]))
            return true;
    return false;
}

/* Makes the file of a film in a format. */
static int encode(struct output_files *files, const struct io_format *format, const char *film,
                  struct engine_error *error)
{
    char name[NAME];
    snprintf(name, sizeof name, "%.*s.%s", (int) strcspn(film, "."), film, format->about->name);
    if (io_encode(format, files->folder, film, name, &files->how, error) != 0) {
        const size_t length = strlen(error->text);
        snprintf(error->text + length, sizeof error->text - length, "; all frames are in %s", film);
        return error->status;
    }
    return output_files_list(files, name, error);
}

int output_files_encode(struct output_files *files, const struct output_series *series, struct engine_error *error)
{
    const uint32_t count = files->count; /* the files that are made here are no films */
    for (uint32_t f = 0; f < series->format_count; f++)
        for (uint32_t i = 0; io_film(series->formats[f]) && i < count; i++)
            if (io_format_of_path(files->list[i].name) == io_film(series->formats[f]) &&
                encode(files, series->formats[f], files->list[i].name, error) != 0)
                return error->status;
    return 0;
}

/* Does a format of the series keep notes about the origin of a state? */
static bool keeps_notes(const struct output_series *series)
{
    for (uint32_t f = 0; f < series->format_count; f++)
        if (io_has(series->formats[f], ENGINE_FORMAT_NOTES))
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
            document->looks[document->count] = document->looks[i];
            context->field[document->count++] = context->field[i];
        }
}

int output_files_write(struct output_files *files, struct instance *instance, const struct output_series *series,
                       uint64_t step, bool final, struct engine_error *error)
{
    struct io_document *document = NULL;
    struct provenance provenance = {.config = NULL};
    if (!files->folder)
        return 0;
    const bool notes = !files->listing_only && keeps_notes(series);
    int status = notes ? provenance_open(instance->state, &provenance, error) : 0;
    if (status == 0 && (status = state_document_open(instance->state, &document, error)) == 0) {
        const struct moment moment = {files, instance, series, document, final};
        document->header.frame.step = step;
        keep_fields(document, series->fields);
        status = state_document_select(document, &series->selection, error);
        if (notes)
            provenance_note(&provenance, &document->header);
        for (uint32_t i = 0; status == 0 && i < document->count; i++)
            status = write_formats(&moment, i, error);
        document->close(document);
    }
    provenance_close(&provenance);
    return status;
}
