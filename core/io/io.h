/* Reading and writing files of any format. */
#ifndef CORE_IO_IO_H
#define CORE_IO_IO_H

#include "io/folder.h"
#include "io/format.h"

/* Returns the format of that name, or NULL; and the formats in order, NULL after the last. */
const struct io_format *io_format_named(const char *name);
const struct io_format *io_format_at(uint32_t index);

/* Returns the names of the formats that can be written, NULL after the last. For nearest_hint; `list` is not used. */
const char *io_written_at(const void *list, uint32_t index);

/* Returns the format that belongs to the ending of a path, or NULL. */
const struct io_format *io_format_of_path(const char *path);

/* Opens a file of any format that can be read. The first bytes decide which one it is, also in a gzip file; the ending
 * decides where the bytes do not. Of several frames the document holds the last. Refuses everything but regular files.
 * ENGINE_STATUS_INPUT. */
int io_open(const char *path, struct io_document **document, struct engine_error *error);

/* Opens a file at its first frame; document->next moves to the others. */
int io_open_frames(const char *path, struct io_document **document, struct engine_error *error);

/* Writes the first array that the format can hold, and those that belong to it, to a file, which it creates or replaces
 * (io/replace.h). `options` may be NULL. ENGINE_STATUS_OUTPUT. */
int io_write(const struct io_format *format, const char *path, struct io_document *document,
             const struct io_options *options, struct engine_error *error);

/* The same with the name of a file of a folder. */
int io_write_in(const struct io_format *format, const struct folder *folder, const char *name,
                struct io_document *document, const struct io_options *options, struct engine_error *error);

/* Adds the document to a film that io_write wrote in this format, which has `append`; and removes its frames after a
 * step. ENGINE_STATUS_OUTPUT, also where there is no such film. */
int io_append(const struct io_format *format, const struct folder *folder, const char *name,
              struct io_document *document, const struct io_options *options, struct engine_error *error);
int io_cut(const struct io_format *format, const struct folder *folder, const char *name, uint64_t step,
           struct engine_error *error);

#endif
