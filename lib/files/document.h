/* Documents: what a file holds, and what a simulation has to write. A document is a list of named arrays and a header.
 * Each array is canonical: dense, in C order, read by ranges of elements. A reader turns a path into a document, a
 * writer turns a document into a file. `engine convert` runs a reader and a writer, and no memory between them grows
 * with the grid. */
#ifndef LIB_FILES_DOCUMENT_H
#define LIB_FILES_DOCUMENT_H

#include "base/error.h"
#include "files/common.h"
#include "files/squares.h"
#include "memory/region.h"

#include <engine/pictures.h>
#include <string.h>

/* What a file gives besides its arrays. */
struct io_header {
    char rule[IO_RULE_MAX];             /* without the suffix of a bounded grid; "" where there is none */
    struct engine_file_pattern pattern; /* where the cells of a grid belong */
    struct engine_file_frame frame;     /* the present frame; `content` and `end` are not set. What the file does not
                                           give is 0 */
    uint32_t length;                    /* the unit of lengths in the arrays and the frame: ENGINE_NANOMETRE … */
    char skipped[IO_SKIPPED_MAX];       /* what the file has and its reader leaves out, such as "phi, the comments" */
    uint32_t notes;                     /* for formats that can hold notes, and from files that have them */
    struct engine_file_note note[IO_NOTES_MAX]; /* their texts live as long as the document */
};

/* Returns the value of a header's key that a parameter of a plugin may name as its file_key: "rule". "" where the
 * header does not have the key. */
static inline const char *io_header_value(const struct io_header *header, const char *key)
{
    return strcmp(key, "rule") == 0 ? header->rule : "";
}

enum { IO_TITLE_MAX = 192 };

struct io_document {
    uint32_t count;                                 /* of arrays */
    struct engine_file_array arrays[IO_ARRAYS_MAX]; /* their texts live as long as the document */
    struct engine_file_look looks[IO_ARRAYS_MAX];   /* of the arrays */
    struct io_header header;

    /* Writes elements [begin, begin + count) of one array to `out`. The ranges of a grid are read in order, without
     * gaps, each once, because a file is parsed while it is read. Arrays of particles may be read in any order, and
     * again. Errors name the file and, for text, the line. */
    int (*read)(struct io_document *document, uint32_t array, uint64_t begin, uint64_t count, void *out,
                struct engine_error *error);
    /* Reads elements of what a region of an array becomes. Whoever sets it does so faster than by reading the array, in
     * the memory of a device; otherwise NULL. */
    int (*read_region)(struct io_document *document, uint32_t array, const struct region *region, uint64_t begin,
                       uint64_t count, void *out, struct engine_error *error);
    /* Finds an element of an array from `begin` on, such that all elements before it are 0, or UINT64_MAX if all are. The
     * caller may leave them out. NULL: it is not known without reading them. */
    int (*seek)(struct io_document *document, uint32_t array, uint64_t begin, uint64_t *at, struct engine_error *error);
    const struct io_squares *squares;            /* of the first array, if its cells form such a tree, too; or NULL */
    void (*close)(struct io_document *document); /* frees the document too */
    void *context;

    /* The number of frames of a file that was opened at its first frame; otherwise 0 or 1. The document holds one frame at
     * a time. `next` moves forward by a number of frames, which the caller knows to exist. The header and the elements
     * change; names, types and shapes stay, unless the caller sets `varies`. ENGINE_STATUS_INPUT. */
    uint64_t frames;
    int (*next)(struct io_document *document, uint64_t by, struct engine_error *error);
    bool varies;

    /* The number of frames that the reader may decode at the same time; 0: one per processor. The caller sets it. */
    uint32_t threads;

    /* Makes the document give its lengths in another unit, from the next call of `read` on. NULL: header.length is not
     * known. */
    void (*set_length)(struct io_document *document, uint32_t unit);

    /* For a writer of frames: it writes `frames` of them, each `stride` after the one before; 0 counts as 1. */
    uint64_t stride;

    /* The symbols of species 0, 1, …, if the species of the particles come from symbols; they live as long as the
     * document. */
    uint32_t symbols;
    const char *const *symbol;

    /* For a writer of tables: the names of the rows of arrays that have so many rows of bins. They live as long as the
     * document. */
    uint32_t rows;
    char (*row)[IO_ROW_SIZE];
    struct engine_plot plots[IO_ARRAYS_MAX]; /* of the arrays */
    char title[IO_TITLE_MAX];                /* of their plot, or "" */
    const char *unit; /* the name of the unit of lengths, if header.length is not known, or NULL */

    char remarks[IO_REMARKS_MAX]; /* what is odd about the file, or "". The user of the document tells it */
};

/* Moves to the next frame that is to be written. ENGINE_STATUS_INPUT. */
static inline int io_next_frame(struct io_document *document, struct engine_error *error)
{
    return document->next(document, document->stride != 0 ? document->stride : 1, error);
}

/* Returns how many of `there` frames a range selects: first, end (exclusive) and stride; 0 0 0: all frames. */
uint64_t io_count_frames(const uint64_t frames[3], uint64_t there);

#endif
