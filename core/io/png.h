/* What the pictures of planes (png.c), of volumes (png_volume.c) and of particles (png_particles.c) share. */
#ifndef CORE_IO_PNG_H
#define CORE_IO_PNG_H

#include "io/io.h"

struct drawing {
    struct io_document *document;
    const struct io_array *array;
    uint64_t width, height; /* cells of the plane that is drawn */
    uint64_t block;         /* cells a sample along each axis */
    uint64_t columns, rows; /* samples */
    uint64_t piece;         /* rows of the array that are read at a time */
    uint8_t *cells;         /* these, or their shades */
    void *elements;         /* before that, where they are shaded; else NULL */
    uint64_t *sums;         /* of blocks: a row of samples, or for a volume all of them */

    bool shaded;         /* cells are shades, 0 … 255: */
    double black, white; /* these values are 0 and 255 */

    /* For volumes. Axes are counted as in the canonical array: 0 … 2 for z, y, x. */
    enum io_view view;
    uint32_t axis;         /* looked along */
    uint64_t first, depth; /* cells along that axis that are added up */
};

/* How many cells sample (column, row) stands for; at the right and lower edges they may be fewer. */
uint64_t drawing_area(const struct drawing *drawing, uint64_t column, uint64_t row);

/* Decides whether cells are shaded, and how. */
void shade_plan(struct drawing *drawing, const struct io_options *options);

/* Reads elements [begin, begin + count) of the array, as bytes: cells, or their shades. */
int shade_read(const struct drawing *drawing, uint64_t begin, uint64_t count, uint8_t *cells,
               struct engine_error *error);

/* The mean of `count` cells whose values add up to `sum`, 0 … 255, rounded. */
uint8_t drawing_grey(const struct drawing *drawing, uint64_t sum, uint64_t count);

/* The sum of values of so many cells that are all alive, or white. */
uint64_t drawing_white(const struct drawing *drawing, uint64_t count);

/* Which cells along the axis are seen, of which plane; before columns and rows are known. ENGINE_STATUS_OUTPUT. */
int volume_plan(struct drawing *drawing, const struct io_options *options, struct engine_error *error);

/* Reads the array and fills drawing->sums, which are 0 before, of all samples. */
int volume_sum(struct drawing *drawing, struct engine_error *error);

/* The picture's rows after that, in grey or in black and white. */
int volume_row(void *drawing, uint64_t row, uint8_t *samples, struct engine_error *error);
int volume_bilevel_row(void *drawing, uint64_t row, uint8_t *samples, struct engine_error *error);

/* The shades of a picture of particles: size[0] x size[1], rows from the top, which the caller frees. `array` of the
 * document has their positions; the longer side and the bounds are as the options say. */
int particles_shades(struct io_document *document, uint32_t array, const struct io_options *options, uint64_t size[2],
                     uint8_t **shades, struct engine_error *error);

/* A picture of particles, whose positions are this array of the document. */
int particles_draw(const char *path, struct io_document *document, uint32_t array, const struct io_options *options,
                   struct engine_error *error);

#endif
