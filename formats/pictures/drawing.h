/* A picture of a grid before it is a file: which cells are drawn, how many of them make a sample, and which shade a
 * sample gets. png.c draws planes, png_volume.c draws volumes. */
#ifndef FORMATS_PICTURES_DRAWING_H
#define FORMATS_PICTURES_DRAWING_H

#include "formats/pictures/picture.h"

/* Elements of the array that were read before they are asked for. */
struct band {
    uint64_t begin, count;
    uint8_t *elements; /* NULL: there are none */
};

struct drawing {
    const struct scene *scene;
    const struct engine_file_array *array; /* the first of the scene */
    uint64_t width, height;                /* cells of the plane that is drawn */
    uint64_t origin;                       /* elements of the array before this plane, in a batch */
    uint64_t block;                        /* cells per sample along each axis */
    uint64_t columns, rows;                /* samples */
    uint64_t piece;                        /* rows of the array that are read at a time */
    uint8_t *cells;                        /* these rows: cells, or their shades */
    void *elements;                        /* these rows before they are shaded; NULL where cells are not shaded */
    uint64_t *sums;                        /* of blocks: one row of samples; for a volume, all samples */
    struct band band;

    const uint8_t (*colours)[3]; /* of cells, which are not shaded then; NULL: they are grey or mapped */

    bool shaded;         /* cells are shades, 0 … 255: */
    double black, white; /* the values that become 0 and 255 */

    /* For volumes. Axes are counted as in the canonical array: 0 … 2 for z, y, x. */
    enum io_view view;
    uint32_t axis;         /* the line of sight */
    uint64_t first, depth; /* cells along that axis that are shown */
    bool deep;             /* the nearest cells hide others, and are brightest */
};

/* Returns the number of cells of sample (column, row). At the right and lower edges it may be smaller. */
uint64_t drawing_area(const struct drawing *drawing, uint64_t column, uint64_t row);

/* Decides whether cells are shaded, and by which values, or whether they have colours of their own. */
void drawing_plan_shades(struct drawing *drawing);

/* Reads elements [begin, begin + count) of the array as bytes: cells, or their shades. */
int drawing_read(const struct drawing *drawing, uint64_t begin, uint64_t count, uint8_t *cells);

/* Returns the mean of `count` cells whose values add up to `sum`, 0 … 255, rounded. */
uint8_t drawing_grey(const struct drawing *drawing, uint64_t sum, uint64_t count);

/* Returns the sum of the values of `count` cells that are all alive, or white. */
uint64_t drawing_white(const struct drawing *drawing, uint64_t count);

#endif
