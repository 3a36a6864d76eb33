/* What the formats of the engine share: limits, and functions for descriptors (engine/format.h). */
#ifndef LIB_FILES_COMMON_H
#define LIB_FILES_COMMON_H

#include "base/type.h"

#include <engine/format.h>
#include <stdbool.h>

enum {
    IO_ARRAYS_MAX = 16,
    IO_RULE_MAX = 512,
    IO_NOTES_MAX = 12,
    IO_SYMBOL_SIZE = 16,
    IO_SYMBOLS_MAX = 256,
    IO_SKIPPED_MAX = 256,
    IO_REMARKS_MAX = 512
};

/* Memory for a format, which the engine frees when the file is closed: io_new returns bytes that are 0. io_grow returns
 * a list of twice the capacity, at least 256, with the items that *capacity counted, and releases the old list. NULL: no
 * memory, with the reason recorded. */
void *io_new(const struct engine_file *file, uint64_t bytes);
void *io_grow(const struct engine_file *file, void *list, uint64_t *capacity, uint64_t item_bytes);

/* Adds a part of a file to a list of what its reader leaves out, unless it is the one that was added last. */
void io_note_skipped(char skipped[IO_SKIPPED_MAX], const char *part);

/* Adds a sentence to what is odd about a file. */
void io_remark(char remarks[IO_REMARKS_MAX], const char *format, ...) ENGINE_PRINTF(2, 3);

/* A pattern file of a few bytes may state any size. A larger number of cells is refused before memory is taken for
 * it. */
#define IO_CELLS_MAX ((uint64_t) 1 << 48)

/* Whether a grid of this size has 1 … IO_CELLS_MAX cells. */
static inline bool io_size_fits(uint64_t width, uint64_t height)
{
    uint64_t cells;
    return multiply(width, height, &cells) && cells >= 1 && cells <= IO_CELLS_MAX;
}

/* The function `create` of formats that keep nothing between the calls for a file: `self` becomes NULL. */
static inline int io_keep_nothing(const struct engine_file *file, const struct engine_file_content *content,
                                  void **self)
{
    (void) file;
    (void) content;
    *self = NULL;
    return 0;
}

#endif
