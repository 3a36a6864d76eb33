/* The file formats of a context: those that are part of the engine, and those of libraries in the folders of plugins. A
 * library is loaded when its format is named or may be the one of a file. Without a context there are the engine's
 * own. Several threads may use the formats of a context at the same time. */
#ifndef LIB_FILES_FORMATS_H
#define LIB_FILES_FORMATS_H

#include "base/context.h"
#include "files/io.h"

struct registry;

/* Opens context->formats. The registry outlives it. ENGINE_STATUS_DEVICE. */
int formats_open(struct context *context, const struct registry *registry, struct engine_error *error);
void formats_close(struct context *context);

/* Finds the format of that name. *format is NULL, without an error, where there is none. ENGINE_STATUS_PLUGIN: its
 * library cannot be loaded. */
int formats_find(const struct context *context, const char *name, const struct io_format **format,
                 struct engine_error *error);

/* The same without the reason. */
const struct io_format *formats_named(const struct context *context, const char *name);

/* Finds the format to which the ending of a path belongs: the engine's own, and then the one whose name is the
 * ending. */
int formats_find_ending(const struct context *context, const char *path, const struct io_format **format,
                        struct engine_error *error);

/* The names of the formats in order, NULL after the last; the engine's own come first. */
const char *formats_name_at(const struct context *context, uint32_t index);

/* Writes a hint for a name that no format has: the format of files with such an ending, or the nearest name of those
 * that can be written. Returns hint. */
const char *formats_hint(char hint[128], const struct context *context, const char *name);

/* The file of a library, or NULL for a format that is part of the engine. */
const char *formats_library(const struct context *context, const struct io_format *format);

/* Opens a file of any format that can be read, at its last frame, or with `frames` at its first: document->next moves to
 * the others. The format is, in this order: the library whose name is the ending of the path, if its probe accepts the
 * file; one of the engine's own; a library whose probe accepts the file. The first bytes decide which of the engine's own
 * it is, also in a gzip file; if they do not, the ending decides. Refuses everything but regular files. `context` and
 * `format` may be NULL. If *format is not NULL, the file has this format. If the stop hook of the context asks to stop,
 * opening fails. ENGINE_STATUS_INPUT, ENGINE_STATUS_PLUGIN. */
int formats_read(const struct context *context, const char *path, bool frames, struct io_document **document,
                 const struct io_format **format, struct engine_error *error);

/* The frames of a file that are wanted. */
struct formats_range {
    const uint64_t *frames; /* first, end and stride, as for io_count_frames */
    const char *way;        /* how the caller's user gives a range, as in "give --frames" */
};

/* The same. If frames at the end of the file are incomplete or damaged, the document ends before them if the range does;
 * then a warning names the first of them. Otherwise the error says which frames can be read. `range` is NULL if the last
 * frame is wanted. */
int formats_read_range(const struct context *context, const char *path, const struct formats_range *range,
                       struct io_document **document, const struct io_format **format, struct engine_error *error);

#endif
