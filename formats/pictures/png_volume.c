/* Pictures of volumes: a slice, or a projection, which adds up the cells along an axis. The canonical array is read
 * once, in pieces of whole rows. Memory holds one piece and a number for each sample.
 *
 * The shade of a projection is log(1 + n) / log(1 + depth) for n live cells behind a sample: black without live cells,
 * white where all cells live. A single live cell of a thousand is still visible, with 26 of 255. The scale depends on
 * the depth of the grid alone, so that all frames of a film have the same scale. */
#include "formats/pictures/png_volume.h"

#include <math.h>

enum { PIECE = 1 << 22 }; /* bytes read at a time: each read from a device has a fixed cost */

static uint64_t extent_of(const struct drawing *drawing, uint32_t axis)
{
    return drawing->array->shape.extent[2 - axis];
}

int volume_plan(struct drawing *drawing)
{
    const struct io_options *options = drawing->scene->options;
    const uint64_t row = drawing->array->shape.extent[0];
    const uint64_t bytes = row * type_bytes(drawing->array->shape.type);
    drawing->piece = bytes < PIECE ? PIECE / bytes : 1;
    drawing->view = options->view;
    drawing->axis = options->axis;
    drawing->first = 0;
    drawing->depth = extent_of(drawing, drawing->axis);
    drawing->width = extent_of(drawing, drawing->axis == 2 ? 1 : 2);
    drawing->height = extent_of(drawing, drawing->axis == 0 ? 1 : 0);
    if (drawing->view == IO_PROJECTION)
        return 0;
    drawing->first = options->slice == IO_MIDDLE ? drawing->depth / 2 : (uint64_t) options->slice;
    if (drawing->first >= drawing->depth)
        return ENGINE_FAIL_FILE(
            drawing->scene->file, "there is no slice %llu: the grid has %llu cells along %c, counted from 0",
            (unsigned long long) drawing->first, (unsigned long long) drawing->depth, "zyx"[drawing->axis]);
    drawing->depth = 1;
    return 0;
}

static void add_cells(const struct drawing *drawing, const uint8_t *cells, uint64_t *sums)
{
    const uint64_t block = drawing->block, width = drawing->width;
    for (uint64_t x = 0; block == 1 && x < width; x++)
        sums[x] += cells[x];
    for (uint64_t x = 0; block > 1 && x < width; x++)
        sums[x / block] += cells[x];
}

static uint64_t sum_of(const uint8_t *cells, uint64_t count)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += cells[i];
    return sum;
}

/* Adds row y of plane z where it is visible. Seen along x the row is one sample, otherwise a row of samples. */
static void add_row(const struct drawing *drawing, const uint8_t *cells, uint64_t y, uint64_t z)
{
    const uint64_t along = drawing->axis == 0 ? z : y, across = drawing->axis == 0 ? y : z;
    const uint64_t first = drawing->first, end = first + drawing->depth;
    uint64_t *sums = drawing->sums + across / drawing->block * drawing->columns;
    if (drawing->axis == 2)
        sums[y / drawing->block] += sum_of(cells + first, drawing->depth);
    else if (along >= first && along < end)
        add_cells(drawing, cells, sums);
}

int volume_sum(struct drawing *drawing)
{
    const uint64_t *extent = drawing->array->shape.extent;
    const uint64_t rows = extent[1] * (drawing->axis == 0 ? drawing->first + drawing->depth : extent[2]);
    for (uint64_t row = 0; row < rows; row += drawing->piece) {
        uint64_t count = rows - row < drawing->piece ? rows - row : drawing->piece;
        const int code = drawing_read(drawing, row * extent[0], count * extent[0], drawing->cells);
        if (code != 0)
            return code;
        for (uint64_t i = 0; i < count; i++)
            add_row(drawing, drawing->cells + i * extent[0], (row + i) % extent[1], (row + i) / extent[1]);
    }
    return 0;
}

int volume_row(void *context, uint64_t row, uint8_t *samples)
{
    const struct drawing *drawing = context;
    const uint64_t *sums = drawing->sums + row * drawing->columns;
    for (uint64_t column = 0; column < drawing->columns; column++) {
        const uint64_t area = drawing_area(drawing, column, row);
        if (drawing->view == IO_PROJECTION) {
            const double live = (double) sums[column] / (double) drawing_white(drawing, area);
            samples[column] = (uint8_t) lround(255 * log1p(live) / log1p((double) drawing->depth));
        } else
            samples[column] = drawing_grey(drawing, sums[column], area);
    }
    return 0;
}

int volume_bilevel_row(void *context, uint64_t row, uint8_t *samples)
{
    const struct drawing *drawing = context;
    for (uint64_t column = 0; column < drawing->columns; column++)
        samples[column] = drawing->sums[row * drawing->columns + column] != 0;
    return 0;
}
