/* A state as a small picture, made quickly: what a terminal shows of it. */
#ifndef CORE_RUN_PREVIEW_H
#define CORE_RUN_PREVIEW_H

#include "io/io.h"

struct view {
    uint64_t columns, rows; /* of shades, at most as many as there is room for */
    uint8_t *shades;        /* 0 … 255, black … white, rows from the top */
    uint64_t scale;         /* as often does each fit along both axes */
    bool exact;             /* a shade is a cell of two values: 0 or 255 */

    /* What pictures before have seen, so that a series has one scale. */
    bool ranged;
    double low, high;
    struct io_options how; /* axis, slice and bounds as for files of pictures */
};

/* The room for pictures: pixels, and the dots that are used instead of them where only those hold a grid of two values
 * cell by cell. */
struct view_room {
    uint64_t columns, rows, dot_columns, dot_rows;
};

/* The array of a document that is shown: the first grid, matrix, positions of particles, or bins; or -1. */
int view_array(const struct io_document *document);

/* Takes a picture. Grids that are larger than the room are reduced: a shade is the logarithm of how many cells behind
 * it live, or the mean of other values, between the least and the largest shown so far. Of many rows only some are
 * read: the document is a state's, whose ranges may be read in any order. What document->read gives, or ENGINE_STATUS_DEVICE.
 */
int view_take(struct view *view, struct io_document *document, const struct view_room *room,
              struct engine_error *error);
void view_release(struct view *view);

#endif
