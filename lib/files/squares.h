/* A grid of two axes as a tree of squares, in which equal squares are one. A writer of trees visits no cells. */
#ifndef LIB_FILES_SQUARES_H
#define LIB_FILES_SQUARES_H

#include <stdbool.h>
#include <stdint.h>

enum { IO_SQUARE_BLOCK_MAX = 6 };

/* A square has a number, which no other one has; 0: it has no live cell. All squares of a number have the same level, and
 * 2^level cells a side. */
struct io_squares {
    const void *context;
    uint32_t root, level; /* its middle is between the columns -1 and 0, and between the rows 0 and 1: */
    bool above;           /* or between the rows -1 and 0; then the first row of the root has no live cell */
    uint32_t block;       /* the level of the smallest squares, 3 to IO_SQUARE_BLOCK_MAX; the root is larger */
    int64_t begin[2];     /* the column and the row of the first live cells, and those behind the last ones */
    int64_t end[2];
    bool wide; /* the document has one cell of its grid alone, and only the squares give the others */

    /* The quarters of a square that is larger than a block: north-west, north-east, south-west and south-east. */
    void (*quarters)(const void *context, uint32_t square, uint32_t level, uint32_t quarters[4]);

    /* The cells of a block: rows of 2^block bytes. */
    void (*cells)(const void *context, uint32_t square, uint8_t *cells);
};

#endif
