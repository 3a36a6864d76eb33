/* File formats with the descriptor of engine/format.h: the calls of their functions, and documents of their files. */
#ifndef CORE_IO_FILE_H
#define CORE_IO_FILE_H

#include "io/format.h"

/* Are these the first bytes of a file of the format? `bytes` is the size of the file. */
bool file_probe(const struct io_format *format, const char *path, const unsigned char *begin, uint64_t count,
                uint64_t bytes);

/* Opens a file at its last frame, or at its first one where `frames` is set. ENGINE_STATUS_INPUT;
 * ENGINE_STATUS_PLUGIN: the format breaks its interface. */
int file_open(const struct io_format *format, const char *path, bool frames, struct io_document **document,
              struct engine_error *error);

/* Can the array be the one that a file needs? Can it be one of the others? */
bool file_writes(const struct io_format *format, const struct engine_file_array *array);
bool file_takes(const struct io_format *format, const struct engine_file_array *array);

/* Do what the members `write`, `append` and `cut` of struct io_own say. */
int file_write(const struct io_format *format, int file, struct io_document *document, const struct io_options *options,
               struct engine_error *error);
int file_append(const struct io_format *format, int film, struct io_document *document,
                const struct io_options *options, struct engine_error *error);
int file_cut(const struct io_format *format, int film, uint64_t frames, struct engine_error *error);

/* The name of a unit of length: "nm", "angstrom" or NULL. */
const char *length_name(uint32_t unit);

/* Multiplies what has a power of a length in its unit, real numbers, so that it has another unit of length. Both units
 * are known, or nothing changes. Factors are powers of ten, and division is by them, so that results are rounded
 * once. */
void length_convert(uint32_t from, uint32_t to, int32_t power, uint32_t type, uint64_t count, void *elements);

#endif
