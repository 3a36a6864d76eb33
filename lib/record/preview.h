/* A preview: a small picture of a state, made quickly, for a terminal. */
#ifndef LIB_RECORD_PREVIEW_H
#define LIB_RECORD_PREVIEW_H

#include "files/io.h"

struct preview {
    uint64_t columns, rows; /* the size of the picture in shades */
    uint8_t *shades;        /* 0 … 255 for black … white, rows from the top */
    uint8_t *tints; /* red, green and blue of each shade, if the values of the grid have colours; otherwise NULL */
    uint64_t scale; /* each shade can be shown as scale x scale pixels */
    uint64_t block; /* each shade shows block x block cells; 0: the picture is not one of cells */
    bool exact;     /* each shade is one cell of a grid of two values: 0 or 255 */

    /* Kept from one picture to the next, so that all pictures of a series have the same scale. */
    bool ranged;           /* low and high are set */
    double low, high;      /* the smallest and the largest value so far */
    struct io_options how; /* axis, slice and bounds, as for files of pictures */
};

/* The space for a picture in pixels, and in dots. Dots are smaller. They are used for a grid of two values that fits
 * cell by cell as dots and not as pixels. */
struct preview_space {
    uint64_t columns, rows, dot_columns, dot_rows;
};

/* The index of the array of a document that is shown: the first grid, matrix, positions of particles, or bins; if there
 * is none of these, array 0; -1: the document is empty. */
int preview_array(const struct io_document *document);

/* Makes a picture. A grid that is larger than the space is reduced to blocks of cells. The shade of a block is the
 * logarithm of the number of its live cells, or, for other values, their mean between the smallest and the largest
 * value so far. A document that has read_region adds up all cells. Of others, if the grid is large, only some rows are
 * read, in any order, so the document must be that of a state.
 * Returns the errors of document->read, or ENGINE_STATUS_DEVICE. */
int preview_take(struct preview *preview, struct io_document *document, const struct preview_space *space,
                 struct engine_error *error);
void preview_release(struct preview *preview);

#endif
