/* Pictures of two-dimensional grids of bytes. Live cells are white: a sample is its cell's value, scaled to black …
 * white. Grids of two states take 1 bit a pixel. Large grids are reduced to the density of square blocks, so that a
 * picture stays something one can open. */
#include "formats.h"
#include "picture.h"

#include <stdlib.h>
#include <string.h>

struct drawing {
    struct io_document *document;
    uint32_t index;
    const struct io_array *array;
    uint64_t width, height; /* cells */
    uint64_t block;         /* cells a sample along each axis */
    uint64_t columns;       /* samples a row */
    uint8_t *cells;         /* a row of cells, where block > 1 */
    uint64_t *sums;         /* of a row of blocks */
};

static bool writes(const struct io_array *array)
{
    const struct engine_shape *shape = &array->shape;
    return shape->type == ENGINE_U8 && shape->components == 1 && shape->rank <= 2 && shape->extent[2] == 1;
}

/* The mean of `count` cells whose values add up to `sum`, 0 … 255, rounded. */
static uint8_t grey(const struct drawing *drawing, uint64_t sum, uint64_t count)
{
    uint64_t white = (drawing->array->values > 1 ? drawing->array->values - 1 : 255) * count;
    return (uint8_t) (sum >= white ? 255 : (sum * 255 + white / 2) / white);
}

static int read_row(const struct drawing *drawing, uint64_t y, uint8_t *cells, struct error *error)
{
    return drawing->document->read(drawing->document, drawing->index, y * drawing->width, drawing->width, cells, error);
}

static void add_row(const struct drawing *drawing)
{
    for (uint64_t column = 0; column < drawing->columns; column++) {
        uint64_t begin = column * drawing->block, sum = 0;
        uint64_t end = begin + drawing->block < drawing->width ? begin + drawing->block : drawing->width;
        for (uint64_t x = begin; x < end; x++)
            sum += drawing->cells[x];
        drawing->sums[column] += sum;
    }
}

/* Row `row` of samples from a row of blocks; those at the right and lower edges may be smaller than others. */
static int reduced_row(void *context, uint64_t row, uint8_t *samples, struct error *error)
{
    const struct drawing *drawing = context;
    uint64_t top = row * drawing->block;
    uint64_t bottom = top + drawing->block < drawing->height ? top + drawing->block : drawing->height;
    memset(drawing->sums, 0, drawing->columns * sizeof *drawing->sums);
    for (uint64_t y = top; y < bottom; y++) {
        int status = read_row(drawing, y, drawing->cells, error);
        if (status != 0)
            return status;
        add_row(drawing);
    }
    for (uint64_t column = 0; column < drawing->columns; column++) {
        uint64_t rest = drawing->width - column * drawing->block;
        uint64_t across = rest < drawing->block ? rest : drawing->block;
        samples[column] = grey(drawing, drawing->sums[column], across * (bottom - top));
    }
    return 0;
}

static int bilevel_row(void *context, uint64_t row, uint8_t *samples, struct error *error)
{
    return read_row(context, row, samples, error);
}

static int grey_row(void *context, uint64_t row, uint8_t *samples, struct error *error)
{
    const struct drawing *drawing = context;
    int status = read_row(drawing, row, samples, error);
    for (uint64_t x = 0; status == 0 && x < drawing->width; x++)
        samples[x] = grey(drawing, samples[x], 1);
    return status;
}

static int write_png(const char *path, struct io_document *document, const struct io_options *options,
                     struct error *error)
{
    const struct io_array *array = io_first_written(&io_png, document);
    const uint64_t *extent = array->shape.extent;
    struct drawing drawing = {.document = document,
                              .index = (uint32_t) (array - document->arrays),
                              .array = array,
                              .width = extent[0],
                              .height = extent[1]};
    uint64_t longer = extent[0] > extent[1] ? extent[0] : extent[1];
    drawing.block = options->scale == 0 ? (longer - 1) / PICTURE_LONGEST_SIDE + 1 : 1;
    drawing.columns = (extent[0] - 1) / drawing.block + 1;
    struct picture picture = {.width = drawing.columns,
                              .height = (extent[1] - 1) / drawing.block + 1,
                              .scale = options->scale != 0 ? options->scale
                                       : drawing.block > 1 ? 1
                                                           : picture_scale(extent[0], extent[1]),
                              .bilevel = array->values == 2 && drawing.block == 1,
                              .title = array->name,
                              .header = &document->header,
                              .context = &drawing};
    picture.row = drawing.block > 1 ? reduced_row : picture.bilevel ? bilevel_row : grey_row;
    drawing.cells = malloc(drawing.block > 1 ? drawing.width : 1);
    drawing.sums = malloc(drawing.block > 1 ? drawing.columns * sizeof *drawing.sums : 1);
    int status = drawing.cells != NULL && drawing.sums != NULL ? picture_write(path, &picture, error)
                                                               : error_memory(error, drawing.width, "a row of cells");
    free(drawing.cells);
    free(drawing.sums);
    return status;
}

const struct io_format io_png = {
    .name = "png",
    .help = "picture of a grid of two axes, uint8",
    .endings = ".png",
    .writes = writes,
    .write = write_png,
};
