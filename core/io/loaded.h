/* File formats with the descriptor of engine/format.h: the calls of their functions, and documents of their files. */
#ifndef CORE_IO_LOADED_H
#define CORE_IO_LOADED_H

#include "base/context.h"
#include "io/format.h"

struct loaded {
    const struct engine_file_format *about; /* outlives it */
    const struct context *context;          /* that records the calls of its functions; or NULL */
};

/* Describes the format for the rest of the core. `loaded` outlives *format. */
void loaded_describe(const struct loaded *loaded, struct io_format *format);

/* Are these the first bytes of a file of the format? `bytes` is the size of the file. */
bool loaded_probe(const struct loaded *loaded, const char *path, const unsigned char *begin, uint64_t count,
                  uint64_t bytes);

/* Opens a file at its last frame, or at its first one where `frames` is set. ENGINE_STATUS_INPUT;
 * ENGINE_STATUS_PLUGIN: the format breaks its interface. */
int loaded_open(const struct loaded *loaded, const char *path, bool frames, struct io_document **document,
                struct engine_error *error);

/* Can the array be the one that a file needs? Can it be one of the others? */
bool loaded_writes(const struct loaded *loaded, const struct io_array *array);
bool loaded_takes(const struct loaded *loaded, const struct io_array *array);

/* Do what the members `write`, `append` and `cut` of struct io_format say. */
int loaded_write(const struct loaded *loaded, int file, struct io_document *document, struct engine_error *error);
int loaded_append(const struct loaded *loaded, int film, struct io_document *document, struct engine_error *error);
int loaded_cut(const struct loaded *loaded, int film, uint64_t frames, struct engine_error *error);

/* The name of a unit of length: "nm", "angstrom" or NULL. */
const char *length_name(uint32_t unit);

/* Multiplies what has a power of a length in its unit, real numbers, so that it has another unit of length. Both units
 * are known, or nothing changes. Factors are powers of ten, and division is by them, so that results are rounded
 * once. */
void length_convert(uint32_t from, uint32_t to, int32_t power, uint32_t type, uint64_t count, void *elements);

#endif
