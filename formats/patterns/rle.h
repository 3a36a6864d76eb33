/* The RLE formats: rle.c reads cells, rle_header.c reads the lines before them, rle_write.c writes patterns. The other
 * formats of Golly have rules and positions as in RLE. */
#ifndef FORMATS_PATTERNS_RLE_H
#define FORMATS_PATTERNS_RLE_H

#include "files/text_file.h"
#include "formats/patterns/pattern.h"

#include <stdio.h>

/* The content of the lines before the cells. */
struct rle_prologue {
    uint64_t width, height, depth; /* of the pattern; depth 0: it has two axes */
    bool headed;                   /* the file has a header line, which states this size: */
    int64_t stated[3];
    bool positioned;     /* the file has #CXRLE Pos: */
    int64_t position[2]; /* in Golly's coordinates, whose origin is the middle of the torus */
    int64_t from[2];     /* where the part of the pattern begins that is inside the grid */
    struct pattern_header header;
};

/* Beyond every pattern, and so small that sums of coordinates fit into 64 bits. */
#define RLE_POSITION_MAX (INT64_C(1) << 60)

/* The length of a side of a bounded grid that is infinite: all positions are inside. */
#define RLE_INFINITE (UINT64_C(2) << 60)

/* What differs between the formats: `parse` reads the first lines, up to the cells. `place` finds the place of the
 * pattern, whose size is known then. */
struct rle_head {
    int (*parse)(struct text_file *text, struct rle_prologue *prologue);
    int (*place)(const struct text_file *text, struct rle_prologue *prologue);
};

/* Whether a grid of this size has 1 … IO_CELLS_MAX cells. */
static inline bool rle_fits(const uint64_t extent[3])
{
    uint64_t plane;
    return extent[2] >= 1 && multiply(extent[0], extent[1], &plane) && io_size_fits(plane, extent[2]);
}

/* Opens a file. rle_read is the function of the formats. */
int rle_open(const struct engine_file *file, struct engine_file_content *content, void **self,
             const struct rle_head *head);
int rle_read(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
             uint64_t count, void *out);
/* The function `seek` of these formats. */
int rle_seek(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin, uint64_t *at);

/* Reads the lines before the cells: comments, and `x = m, y = n, rule = …`, which may be missing. */
int rle_parse_prologue(struct text_file *text, struct rle_prologue *prologue);

/* Reads a rule up to the next blank, with the suffix of its bounded grid, into the header's rule and grid. */
int rle_parse_rule(const struct text_file *text, const char *at, struct pattern_header *header);

/* Finds the place of a pattern of `width` x `height` cells from its position: on the plane, or on its grid, where it
 * becomes the part that is inside the grid. Golly gives the top left cell of a bounded grid the coordinates -int(w/2),
 * -int(h/2). Returns 0. */
int rle_place(const struct text_file *text, struct rle_prologue *prologue);

/* Moves *at behind "name =" and the blanks and commas around it. Returns false where something else is there. */
bool rle_take_key(const char **at, const char *name);

/* ---- Writing ------------------------------------------------------------------------------------------------ */

/* The state that is written. */
struct rle_state {
    const struct engine_file_content *content; /* its first array is written */
    uint64_t step;
};

/* How a format writes its runs. */
struct rle_style {
    const char *line, *end; /* the text at the beginning of each line, and behind the cells */
    char first;             /* the letter before the tags of the states 25 to 48 */
    bool many;              /* the states 0 and 1 are always '.' and 'A' */
};
extern const struct rle_style rle_style;

/* Writes a frame. `put_header` writes the lines before the cells, and returns 0 or less on an error, as fprintf does.
 * `largest`: the largest state that the format holds. An array that may have more than two states is written with '.'
 * and 'A' for the states 0 and 1. */
int rle_write_file(const struct engine_file *file, const struct engine_file_frame *frame, uint8_t largest,
                   const struct rle_style *style, int (*put_header)(FILE *stream, const struct rle_state *state));

/* Returns the position of the array's first cell along an axis in Golly's coordinates, whose origin is the middle of
 * the grid. A pattern without a position is centred. */
long long rle_position(const struct engine_file_content *content, int axis);

/* Writes a rule that the content has, with the suffix of its bounded grid. Returns 0 or less on an error, as fprintf
 * does. */
int rle_put_rule(FILE *stream, const struct engine_file_content *content);

/* Writes the suffix of a bounded grid, if Golly has one for it. */
int rle_put_bounded(FILE *stream, const struct engine_file_content *content);

/* The function `write` of the format rle. */
int rle_write(const struct engine_file *file, void *self, const struct engine_file_frame *frame);

#endif
