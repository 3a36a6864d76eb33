#include "files/formats.h"
#include "base/list.h"
#include "base/nearest.h"
#include "files/format_library.h"
#include "files/shared.h"
#include "plugin/foreign.h"
#include "plugin/registry.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A format whose library was loaded. */
struct library {
    struct format_library *file;
    struct io_format format;
};

struct formats {
    const struct registry *registry;
    pthread_mutex_t lock; /* of the list, and of the registry while names are looked up: */
    struct library **libraries;
    uint32_t count;
    struct shared_files shared;
};

int formats_open(struct context *context, const struct registry *registry, struct engine_error *error)
{
    context->formats = calloc(1, sizeof *context->formats);
    if (context->formats == NULL)
        return error_memory(error, sizeof *context->formats, "the list of formats");
    context->formats->registry = registry;
    pthread_mutex_init(&context->formats->lock, NULL);
    shared_files_open(&context->formats->shared);
    return 0;
}

void formats_close(struct context *context)
{
    struct formats *formats = context->formats;
    if (formats == NULL)
        return;
    for (uint32_t i = 0; i < formats->count; i++) {
        format_library_free(formats->libraries[i]->file);
        free(formats->libraries[i]);
    }
    free(formats->libraries);
    shared_files_close(&formats->shared);
    pthread_mutex_destroy(&formats->lock);
    free(formats);
    context->formats = NULL;
}

/* ---- Loading ------------------------------------------------------------------------------------------------ */

static int load(const struct context *context, const char *name, struct library **result, struct engine_error *error)
{
    struct formats *formats = context->formats;
    struct library *made = calloc(1, sizeof *made);
    struct library **list = list_grow(formats->libraries, formats->count, sizeof *list);
    char path[REGISTRY_PATH];
    if (list != NULL)
        formats->libraries = list;
    int status = made && list ? registry_format_file(formats->registry, name, path, error)
                              : error_memory(error, sizeof *made, "a file format");
    if (status == 0) {
        const struct foreign call = foreign_begin(context, "a file format", "constructor");
        status = format_library_load(path, &made->file, error);
        foreign_end(&call);
    }
    if (status != 0) {
        free(made);
        return status;
    }
    made->format = (struct io_format){.about = &made->file->about, .context = context};
    *result = list[formats->count++] = made;
    return 0;
}

/* Finds the library of that name, which need not exist. */
static int find_library(const struct context *context, const char *name, const struct library **found,
                        struct engine_error *error)
{
    struct formats *formats = context->formats;
    struct library *made = NULL;
    const char *known = NULL;
    *found = NULL;
    for (uint32_t i = 0; *found == NULL && i < formats->count; i++)
        if (strcmp(formats->libraries[i]->format.about->name, name) == 0)
            *found = formats->libraries[i];
    for (uint32_t i = 0; *found == NULL && (known = registry_format_at(formats->registry, i)) != NULL; i++)
        if (strcmp(known, name) == 0)
            break;
    if (*found != NULL || known == NULL)
        return 0;
    const int status = load(context, name, &made, error);
    *found = made;
    return status;
}

int formats_find(const struct context *context, const char *name, const struct io_format **format,
                 struct engine_error *error)
{
    const struct library *library = NULL;
    *format = io_format_named(name);
    if (*format != NULL || context == NULL || context->formats == NULL)
        return 0;
    pthread_mutex_lock(&context->formats->lock);
    const int status = find_library(context, name, &library, error);
    pthread_mutex_unlock(&context->formats->lock);
    *format = library != NULL ? &library->format : NULL;
    return status;
}

const struct io_format *formats_named(const struct context *context, const char *name)
{
    const struct io_format *format;
    struct engine_error ignored;
    return formats_find(context, name, &format, &ignored) == 0 ? format : NULL;
}

int formats_find_ending(const struct context *context, const char *path, const struct io_format **format,
                        struct engine_error *error)
{
    const char *dot = strrchr(path, '.');
    char name[64];
    *format = io_format_of_path(path);
    if (*format != NULL || dot == NULL || strlen(dot + 1) >= sizeof name)
        return 0;
    for (size_t i = 0; i <= strlen(dot + 1); i++)
        name[i] = dot[1 + i] >= 'A' && dot[1 + i] <= 'Z' ? (char) (dot[1 + i] - 'A' + 'a') : dot[1 + i];
    return formats_find(context, name, format, error);
}

/* ---- Names -------------------------------------------------------------------------------------------------- */

const char *formats_name_at(const struct context *context, uint32_t index)
{
    uint32_t own = 0;
    while (io_format_at(own) != NULL)
        own++;
    if (index < own)
        return io_format_at(index)->about->name;
    return context != NULL && context->formats != NULL ? registry_format_at(context->formats->registry, index - own)
                                                       : NULL;
}

/* The names of those that can be written, for nearest_hint. */
static const char *written_at(const void *list, uint32_t index)
{
    const struct context *context = list;
    const char *name;
    for (uint32_t i = 0; (name = formats_name_at(context, i)) != NULL; i++) {
        const struct io_format *format = formats_named(context, name);
        if (format != NULL && io_is_written(format) && index-- == 0)
            return name;
    }
    return NULL;
}

const char *formats_hint(char hint[128], const struct context *context, const char *name)
{
    char path[64];
    snprintf(path, sizeof path, "x.%s", name);
    const struct io_format *of = io_format_of_path(path);
    if (of == NULL || !io_is_written(of) || strcmp(of->about->name, name) == 0)
        return nearest_hint(hint, name, written_at, context);
    snprintf(hint, 128, "; the format of .%s files is %s", name, of->about->name);
    return hint;
}

const char *formats_library(const struct context *context, const struct io_format *format)
{
    const struct formats *formats = context != NULL ? context->formats : NULL;
    for (uint32_t i = 0; formats != NULL && i < formats->count; i++)
        if (&formats->libraries[i]->format == format)
            return formats->libraries[i]->file->path;
    return NULL;
}

/* ---- Reading ------------------------------------------------------------------------------------------------ */

/* Asks all libraries, those that cannot be loaded excepted. */
static const struct io_format *ask_libraries(const struct context *context, const char *path,
                                             const struct io_beginning *beginning)
{
    const char *name;
    for (uint32_t i = 0; (name = registry_format_at(context->formats->registry, i)) != NULL; i++) {
        const struct io_format *format = formats_named(context, name);
        if (format != NULL && io_accepts(format, path, beginning))
            return format;
    }
    return NULL;
}

/* Adds the names of the libraries to the message that the format of a file is not known. */
static void add_names(const struct context *context, struct engine_error *error)
{
    const char *name;
    for (uint32_t i = 0; (name = registry_format_at(context->formats->registry, i)) != NULL; i++) {
        const size_t length = strlen(error->text);
        const struct io_format *format = formats_named(context, name);
        if (io_format_named(name) == NULL && format != NULL && io_reads(format))
            snprintf(error->text + length, sizeof error->text - length, " %s", name);
    }
}

static int recognise(const struct context *context, const char *path, const struct io_format **format,
                     struct engine_error *error)
{
    const bool libraries =
        context != NULL && context->formats != NULL && registry_format_at(context->formats->registry, 0) != NULL;
    struct io_beginning beginning;
    bool unknown;
    if (io_read_beginning(path, &beginning, error) != 0)
        return error->status;
    if (!libraries)
        return io_recognise(path, &beginning, format, &unknown, error);
    if (formats_find_ending(context, path, format, error) != 0)
        return error->status;
    if (*format != NULL && (*format)->context != NULL && io_accepts(*format, path, &beginning))
        return 0;
    if (io_recognise(path, &beginning, format, &unknown, error) == 0)
        return 0;
    const struct io_format *of_library = ask_libraries(context, path, &beginning);
    if (of_library == NULL && unknown)
        add_names(context, error);
    *format = of_library;
    return of_library != NULL ? 0 : error->status;
}

int formats_read(const struct context *context, const char *path, bool frames, struct io_document **document,
                 const struct io_format **found, struct engine_error *error)
{
    const struct io_format *format = found ? *found : NULL;
    *document = NULL;
    if (format == NULL && recognise(context, path, &format, error) != 0)
        return error->status;
    if (found != NULL)
        *found = format;
    if (!frames && context != NULL && context->formats != NULL && io_is_shared(format))
        return shared_files_read(&context->formats->shared, format, path, context, document, error);
    return file_open_as(format, path, &(struct file_opening){.frames = frames, .asked = context}, document, error);
}

/* Opens the frames before those that cannot be read, for which `error` is the reason. */
static int read_rest(const struct context *context, const struct io_format *format, const char *path,
                     const struct formats_range *range, struct io_document **document, struct engine_error *error)
{
    struct engine_error ignored;
    const struct file_opening how = {.frames = true, .unfinished = true, .asked = context};
    if (file_open_as(format, path, &how, document, &ignored) != 0)
        return error->status;
    const bool grid = (*document)->arrays[0].kind == ENGINE_GRID;
    const unsigned long long frame = (*document)->frames;
    const size_t length = strlen(error->text), left = sizeof error->text - length;
    if (range != NULL && range->frames[2] != 0 && range->frames[1] <= frame) {
        context_message(context, ENGINE_LOG_WARNING, "%s; frame %llu, counted from 0, and all that follow are left out",
                        error->text, frame);
        return 0;
    }
    if (grid && (range == NULL || (*document)->arrays[0].shape.extent[0] != 3))
        ; /* three axes that are probably no frames of particles */
    else if (range != NULL)
        snprintf(error->text + length, left, "; to use the frames before frame %llu, counted from 0, %s 0:%llu", frame,
                 range->way, frame);
    else
        snprintf(error->text + length, left,
                 "; the last frame is needed: convert the frames 0:%llu, which are complete, to a file of their own",
                 frame);
    (*document)->close(*document);
    *document = NULL;
    return error->status;
}

int formats_read_range(const struct context *context, const char *path, const struct formats_range *range,
                       struct io_document **document, const struct io_format **format, struct engine_error *error)
{
    const int status = formats_read(context, path, range != NULL, document, format, error);
    if (status != ENGINE_STATUS_INPUT || *format == NULL || !(io_has(*format, ENGINE_FORMAT_FRAMES)))
        return status;
    return read_rest(context, *format, path, range, document, error);
}
