/* Pictures of volumes: a slice, or a projection, which adds up the cells along an axis. The canonical array is read
 * once, in pieces of whole rows. Memory holds one piece and a number for each sample.
 *
 * The shade of a projection is log(1 + n) / log(1 + depth) for n live cells behind a sample: black without live cells,
 * white where all cells live. A single live cell of a thousand is still visible, with 26 of 255. The scale depends on
 * the depth of the grid alone, so that all frames of a film have the same scale.
 *
 * With depth, a sample shows the nearest solid cell: one whose shade is at least half of white. The viewer is where x
 * or y to the right and y or z downwards leave him: at z = 0, at x = 0, or at the largest y. A sample's height is the
 * number of cells from the farthest plane to that cell, and 0 without a solid cell. */
#include "formats/pictures/png_volume.h"

#include <math.h>
#include <stdlib.h>

enum { PIECE = 1 << 22 }; /* bytes read at a time: each read from a device has a fixed cost */

static uint64_t extent_of(const struct drawing *drawing, uint32_t axis)
{
    return drawing->array->shape.extent[2 - axis];
}

/* Leaves the planes from range[0] to range[1]. */
static void cut(struct drawing *drawing, const double *range)
{
    const double end = (double) drawing->depth, low = fmin(fmax(ceil(range[0]), 0), end);
    const double high = fmin(fmax(floor(range[1]) + 1, low), end);
    drawing->first = (uint64_t) low;
    drawing->depth = (uint64_t) (high - low);
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
    drawing->deep = options->deep && options->view == IO_PROJECTION;
    drawing->width = extent_of(drawing, drawing->axis == 2 ? 1 : 2);
    drawing->height = extent_of(drawing, drawing->axis == 0 ? 1 : 0);
    if (drawing->deep && options->slab)
        cut(drawing, options->depth);
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

static bool is_solid(const struct drawing *drawing, uint8_t cell)
{
    return cell > 0 && 2 * (uint64_t) cell >= drawing_white(drawing, 1);
}

/* The height of the cells of a plane. */
static uint64_t height_of(const struct drawing *drawing, uint64_t along)
{
    return drawing->axis == 1 ? along - drawing->first + 1 : drawing->first + drawing->depth - along;
}

/* Raises samples to the height of a row of cells, or one sample to that of its first solid cell, seen along x. */
static void raise_heights(const struct drawing *drawing, const uint8_t *cells, uint64_t height, uint64_t *heights)
{
    const bool sideways = drawing->axis == 2;
    const uint64_t begin = sideways ? drawing->first : 0, end = sideways ? begin + drawing->depth : drawing->width;
    for (uint64_t x = begin; x < end; x++) {
        uint64_t *at = heights + (sideways ? 0 : x / drawing->block);
        const uint64_t here = sideways ? height_of(drawing, x) : height;
        *at = here > *at && is_solid(drawing, cells[x]) ? here : *at;
    }
}

/* Adds row y of plane z where it is visible. Seen along x the row is one sample, otherwise a row of samples. */
static void add_row(const struct drawing *drawing, const uint8_t *cells, uint64_t y, uint64_t z)
{
    const uint64_t along = drawing->axis == 0 ? z : y, across = drawing->axis == 0 ? y : z;
    const uint64_t first = drawing->first, end = first + drawing->depth;
    uint64_t *sums = drawing->sums + across / drawing->block * drawing->columns;
    if (drawing->deep && drawing->axis == 2)
        raise_heights(drawing, cells, 0, sums + y / drawing->block);
    else if (drawing->deep && along >= first && along < end)
        raise_heights(drawing, cells, height_of(drawing, along), sums);
    else if (drawing->axis == 2)
        sums[y / drawing->block] += sum_of(cells + first, drawing->depth);
    else if (!drawing->deep && along >= first && along < end)
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

/* The height of a neighbour above that of a sample, in samples, at most STEEP either way. */
static double rise(const struct drawing *drawing, uint64_t column, uint64_t row, int right, int down)
{
    enum { STEEP = 2 };
    const uint64_t *heights = drawing->sums, own = heights[row * drawing->columns + column];
    const uint64_t x = column + (uint64_t) right, y = row + (uint64_t) down;
    const bool inside = x < drawing->columns && y < drawing->rows;
    const double there = inside ? (double) heights[y * drawing->columns + x] : (double) own;
    return fmax(fmin((there - (double) own) / (double) drawing->block, STEEP), -STEEP);
}

/* The light comes from the upper left: from (-1, -1, 2) to the right, downwards and towards the viewer. */
static uint8_t shade_of_surface(const struct drawing *drawing, uint64_t column, uint64_t row)
{
    const uint64_t height = drawing->sums[row * drawing->columns + column];
    double right = 0, down = 0;
    if (height == 0)
        return 0;
    for (int i = -1; i <= 1; i++) {
        right += (2 - abs(i)) * (rise(drawing, column, row, 1, i) - rise(drawing, column, row, -1, i)) / 8;
        down += (2 - abs(i)) * (rise(drawing, column, row, i, 1) - rise(drawing, column, row, i, -1)) / 8;
    }
    const double facing = (2 + right + down) / sqrt(6 * (1 + right * right + down * down));
    const double near = drawing->depth > 1 ? (double) (height - 1) / (double) (drawing->depth - 1) : 1;
    return (uint8_t) lround(255 * (0.2 + 0.8 * near) * (0.2 + 0.8 * fmax(facing, 0)));
}

int volume_row(void *context, uint64_t row, uint8_t *samples)
{
    const struct drawing *drawing = context;
    const uint64_t *sums = drawing->sums + row * drawing->columns;
    for (uint64_t column = 0; column < drawing->columns; column++) {
        const uint64_t area = drawing_area(drawing, column, row);
        if (drawing->deep)
            samples[column] = shade_of_surface(drawing, column, row);
        else if (drawing->view == IO_PROJECTION) {
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
