/* Pictures of batches: all universes as the tiles of a mosaic. */
#ifndef FORMATS_PICTURES_PNG_BATCH_H
#define FORMATS_PICTURES_PNG_BATCH_H

#include "formats/pictures/drawing.h"

/* How the universes are laid out, row by row from the top left. */
struct mosaic {
    uint64_t universes, across, down; /* across x down tiles; the last ones may be empty */
    uint64_t gap;                     /* samples between tiles */
    uint64_t block;                   /* cells per sample along each axis */
    uint64_t columns, rows;           /* samples of a tile */
    uint64_t width, height;           /* samples of the picture */
};

/* Is the array a batch of grids of two axes, of which the options choose no universe? */
bool batch_is_mosaic(const struct engine_file_array *array, const struct io_options *options);

/* Chooses the number of tiles in a row so that the picture is nearly square, and, unless the options give a scale,
 * blocks of cells so that it is not too large. If a universe becomes a single sample, there are no gaps. */
struct mosaic batch_lay_out(const struct engine_file_array *array, const struct io_options *options);

/* Writes the mosaic. `universe` describes the picture of one universe, whose rows it gives after drawing->origin has
 * been set to the first element of the universe. Returns 0, or a code with the reason recorded. */
int batch_draw(struct drawing *drawing, const struct mosaic *mosaic, const struct picture *universe);

#endif
