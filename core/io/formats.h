/* What the formats share among themselves. The rest of the core sees io.h alone. */
#ifndef CORE_IO_FORMATS_H
#define CORE_IO_FORMATS_H

#include "io/io.h"

extern const struct io_format io_rle, io_rle3, io_npy, io_vti, io_png, io_apng, io_cells, io_life106, io_life105;
extern const struct io_format io_xyz, io_lammpstrj, io_tipsy, io_dcd;
extern const struct io_format io_csv, io_svg, io_snapshot;

/* Do the bytes [at, end) begin such a file? For formats whose beginning is no fixed text. */
bool io_xyz_begins(const unsigned char *at, const unsigned char *end);
bool io_tipsy_begins(const unsigned char *at, const unsigned char *end);
bool io_dcd_begins(const unsigned char *at, const unsigned char *end);

/* Four bytes as a number, little-endian or big-endian. */
static inline uint32_t io_word_at(const unsigned char *at, bool big)
{
    uint32_t word = 0;
    for (int i = 0; i < 4; i++)
        word |= (uint32_t) at[big ? 3 - i : i] << 8 * i;
    return word;
}

/* A pattern file may state any size in few bytes: more cells than this are refused before anything is made of them. */
#define IO_CELLS_MAX ((uint64_t) 1 << 48)

/* Whether a grid of this size has 1 … IO_CELLS_MAX cells. */
static inline bool io_size_fits(uint64_t width, uint64_t height)
{
    uint64_t cells;
    return multiply(width, height, &cells) && cells >= 1 && cells <= IO_CELLS_MAX;
}

/* `folder/.tmp.<pid>.<name>`: beside the file, so that renaming is one step, and with its ending, which may matter. The
 * caller frees it. NULL: no memory, which is recorded. */
char *io_temporary_path(const char *path, struct engine_error *error);

/* Refuses to replace what is no ordinary file. ENGINE_STATUS_OUTPUT. */
int io_check_can_replace(const char *path, struct engine_error *error);

/* A new document of one grid of live and dead cells, without name and header; read, close and context are the caller's
 * to fill. NULL: no memory, which is recorded. */
struct io_document *io_new_grid(uint64_t width, uint64_t height, struct engine_error *error);

/* Calls `put` for each line of each of the header's notes: "Seed: 42", and with the first line's key before each for
 * those of several. Stops where that returns 0 or less, as zlib's printing does, and returns it; else 1. */
int io_put_notes(const struct io_header *header, void *context,
                 int (*put)(void *context, const char *key, const char *line, int length));

/* The first array that the format writes, or NULL. Its index is its place in document->arrays.
 *
 * A format's write function records ENGINE_STATUS_OUTPUT without the file's name, which is a temporary one: io_write puts the
 * real one in front. Errors of document->read go through as they are. */
const struct io_array *io_first_written(const struct io_format *format, const struct io_document *document);

#endif
