/* Reading and writing files of any format. */
#ifndef LIB_FILES_IO_H
#define LIB_FILES_IO_H

#include "files/beginning.h"
#include "files/file.h"
#include "files/folder.h"

/* io_format_named returns the format of that name, or NULL. io_format_at returns the formats in order, NULL after the
 * last. */
const struct io_format *io_format_named(const char *name);
const struct io_format *io_format_at(uint32_t index);

/* Returns the format of the films of which files of a format are made when a run ends; NULL: files of this format are
 * written when they are due. */
const struct io_format *io_film(const struct io_format *format);

/* Returns the format that belongs to the ending of a path, or NULL. */
const struct io_format *io_format_of_path(const char *path);

/* Does the path end in one of these endings, which spaces separate? */
bool io_ends_in_one_of(const char *path, const char *endings);

/* Can the format read a file that begins like this? */
bool io_accepts(const struct io_format *format, const char *path, const struct io_beginning *beginning);

/* Finds the engine's own format of a file, which can be read. If no format accepts the first bytes, the ending of the
 * path decides. ENGINE_STATUS_INPUT. *unknown: no format accepts the file, and the error ends with the names of all
 * formats that can be read. */
int io_recognise(const char *path, const struct io_beginning *beginning, const struct io_format **format, bool *unknown,
                 struct engine_error *error);

/* Can the format hold the array, or of a grid of several components the one that the options choose? */
bool io_writes(const struct io_format *format, const struct engine_file_array *array, const struct io_options *options);

/* Does the format write the squares of a document, without a visit to their cells? */
bool io_takes_squares(const struct io_format *format);

/* May several documents of a file be read at the same time (files/shared.h)? */
bool io_is_shared(const struct io_format *format);

/* Does a file of the document, in this format, hold its array of that index? */
bool io_holds(const struct io_format *format, const struct io_document *document, uint32_t index,
              const struct io_options *options);

/* Writes the first array that the format can hold, and those that belong to it, to a file, which it creates or replaces
 * (files/replace.h). `options` may be NULL. ENGINE_STATUS_OUTPUT. */
int io_write(const struct io_format *format, const char *path, struct io_document *document,
             const struct io_options *options, struct engine_error *error);

/* The same with the name of a file of a folder. */
int io_write_in(const struct io_format *format, const struct folder *folder, const char *name,
                struct io_document *document, const struct io_options *options, struct engine_error *error);

/* io_append adds the document to a film that io_write wrote in this format, which grows. io_cut removes all frames but
 * the first ones, at least 1. ENGINE_STATUS_OUTPUT, also if there is no such film. */
int io_append(const struct io_format *format, const struct folder *folder, const char *name,
              struct io_document *document, const struct io_options *options, struct engine_error *error);
int io_cut(const struct io_format *format, const struct folder *folder, const char *name, uint64_t frames,
           struct engine_error *error);

/* Makes a file of the film of that name, for a format that has `encode`. ENGINE_STATUS_OUTPUT. */
int io_encode(const struct io_format *format, const struct folder *folder, const char *film, const char *name,
              const struct io_options *options, struct engine_error *error);

#endif
