/* Pictures of grids. Live cells are white: a sample is the value of its cell, scaled to black … white. Grids of two
 * states take 1 bit per pixel. In a large grid a sample is the mean of a square block of cells, so that viewers can
 * open the picture. png_volume.c draws a slice or a projection of a volume. */
#include "io/drawing.h"
#include "io/particles.h"
#include "io/picture.h"
#include "io/png_batch.h"
#include "io/png_particles.h"
#include "io/png_volume.h"

#include <stdlib.h>
#include <string.h>

static bool writes(const struct engine_file_array *array)
{
    const bool cells = array->shape.type == ENGINE_U8 && array->shape.rank <= 3;
    const bool shades = array->shape.type <= ENGINE_F64 && (array->shape.rank == 2 || array->shape.rank == 3);
    return ((cells || shades) && array->shape.components == 1 && array->kind != ENGINE_BINS) ||
           particles_are_positions(array);
}

static bool is_volume(const struct drawing *drawing)
{
    return drawing->array->shape.rank == 3 && !drawing->array->batch;
}

static uint64_t at_most(uint64_t rest, uint64_t block)
{
    return rest < block ? rest : block;
}

/* ---- Rows of planes ----------------------------------------------------------------------------------------- */

/* Reads a row of cells, 0 or 1 for a picture in black and white, whose samples they are. */
static int read_row(void *context, uint64_t row, uint8_t *cells, struct engine_error *error)
{
    const struct drawing *drawing = context;
    return drawing_read(drawing, drawing->origin + row * drawing->width, drawing->width, cells, error);
}

static void add_row(const struct drawing *drawing)
{
    for (uint64_t column = 0; column < drawing->columns; column++) {
        uint64_t begin = column * drawing->block, sum = 0;
        uint64_t end = begin + at_most(drawing->width - begin, drawing->block);
        for (uint64_t x = begin; drawing->colours && x < end; x++)
            for (int c = 0; c < 3; c++)
                drawing->sums[3 * column + (uint64_t) c] += drawing->colours[drawing->cells[x]][c];
        if (drawing->colours)
            continue;
        for (uint64_t x = begin; x < end; x++)
            sum += drawing->cells[x];
        drawing->sums[column] += sum;
    }
}

static int reduced_row(void *context, uint64_t row, uint8_t *samples, struct engine_error *error)
{
    const struct drawing *drawing = context;
    uint64_t top = row * drawing->block;
    uint64_t bottom = top + at_most(drawing->height - top, drawing->block);
    const uint64_t sums = drawing->colours ? 3 * drawing->columns : drawing->columns;
    memset(drawing->sums, 0, sums * sizeof *drawing->sums);
    for (uint64_t y = top; y < bottom; y++) {
        int status = read_row(context, y, drawing->cells, error);
        if (status != 0)
            return status;
        add_row(drawing);
    }
    for (uint64_t i = 0; i < sums; i++) {
        const uint64_t area = drawing_area(drawing, drawing->colours ? i / 3 : i, row);
        samples[i] = drawing->colours ? (uint8_t) ((drawing->sums[i] + area / 2) / area)
                                      : drawing_grey(drawing, drawing->sums[i], area);
    }
    return 0;
}

static int grey_row(void *context, uint64_t row, uint8_t *samples, struct engine_error *error)
{
    const struct drawing *drawing = context;
    int status = read_row(context, row, samples, error);
    for (uint64_t x = 0; status == 0 && x < drawing->width; x++)
        samples[x] = drawing_grey(drawing, samples[x], 1);
    return status;
}

/* ---- Pictures ----------------------------------------------------------------------------------------------- */

/* Chooses one universe of a batch. Those of one axis are the rows of an array of two. */
static int choose_universe(struct drawing *drawing, const struct io_options *options, struct engine_error *error)
{
    const struct engine_shape *shape = &drawing->array->shape;
    if (!drawing->array->batch || options->universe == 0)
        return 0;
    if (options->universe > shape->extent[shape->rank - 1])
        return error_set(error, ENGINE_STATUS_OUTPUT, "there is no universe %llu: the batch has %llu, counted from 0",
                         (unsigned long long) options->universe - 1,
                         (unsigned long long) shape->extent[shape->rank - 1]);
    if (shape->rank == 2)
        drawing->height = 1;
    drawing->origin = (options->universe - 1) * drawing->width * drawing->height;
    return 0;
}

/* Decides which plane is drawn, and how many of its cells make a sample. */
static int plan_drawing(struct drawing *drawing, const struct io_options *options, struct engine_error *error)
{
    drawing->width = drawing->array->shape.extent[0];
    drawing->height = drawing->array->shape.extent[1];
    if (choose_universe(drawing, options, error) != 0)
        return error->status;
    drawing_plan_shades(drawing, options);
    if (is_volume(drawing) && volume_plan(drawing, options, error) != 0)
        return error->status;
    uint64_t longer = drawing->width > drawing->height ? drawing->width : drawing->height;
    drawing->block = options->scale == 0 ? (longer - 1) / PICTURE_LONGEST_SIDE + 1 : 1;
    if (batch_is_mosaic(drawing->array, options))
        drawing->block = batch_lay_out(drawing->array, options).block;
    drawing->columns = (drawing->width - 1) / drawing->block + 1;
    drawing->rows = (drawing->height - 1) / drawing->block + 1;
    return 0;
}

static int allocate(struct drawing *drawing, struct engine_error *error)
{
    const uint64_t cells = drawing->array->shape.extent[0] * drawing->piece;
    uint64_t sums = drawing->colours ? 3 * drawing->columns : drawing->columns, bytes;
    if (!multiply(sums, is_volume(drawing) ? drawing->rows : 1, &sums) ||
        !multiply(sums, sizeof *drawing->sums, &bytes))
        bytes = INT64_MAX;
    drawing->cells = malloc(cells);
    drawing->elements = drawing->shaded ? malloc(cells * type_bytes(drawing->array->shape.type)) : NULL;
    drawing->sums = calloc(1, bytes);
    const bool elements = drawing->elements != NULL || !drawing->shaded;
    return drawing->cells != NULL && elements && drawing->sums != NULL ? 0 : error_memory(error, bytes, "a picture");
}

static int draw(int file, struct drawing *drawing, const struct io_options *options, struct engine_error *error)
{
    struct picture picture = {.width = drawing->columns,
                              .height = drawing->rows,
                              .scale = options->scale,
                              .colours = options->colours,
                              .own = drawing->colours,
                              .rgb = drawing->colours && drawing->block > 1,
                              .bilevel = drawing->array->values == 2 && drawing->block == 1 && !drawing->shaded &&
                                         !drawing->colours && !(is_volume(drawing) && drawing->view == IO_PROJECTION),
                              .title = drawing->array->name,
                              .header = &drawing->document->header,
                              .context = drawing};
    const bool tiled = batch_is_mosaic(drawing->array, options);
    const struct mosaic mosaic =
        tiled ? batch_lay_out(drawing->array, options)
              : (struct mosaic){.universes = 1, .width = drawing->width, .height = drawing->height};
    if (options->scale == 0)
        picture.scale = drawing->block > 1 ? 1 : picture_scale(mosaic.width, mosaic.height);
    if (is_volume(drawing))
        picture.row = picture.bilevel ? volume_bilevel_row : volume_row;
    else
        picture.row = drawing->block > 1                                ? reduced_row
                      : (picture.bilevel && !tiled) || drawing->colours ? read_row
                                                                        : grey_row;
    if (tiled)
        return batch_draw(file, drawing, &mosaic, &picture, error);
    if (is_volume(drawing) && volume_sum(drawing, error) != 0)
        return error->status;
    return picture_write(file, &picture, error);
}

static int write_png(int file, struct io_document *document, const struct io_options *options,
                     struct engine_error *error)
{
    struct drawing drawing = {.document = document, .array = io_first_written(document, writes), .piece = 1};
    if (particles_are_positions(drawing.array))
        return particles_draw(file, document, (uint32_t) (drawing.array - document->arrays), options, error);
    int status = plan_drawing(&drawing, options, error);
    if (status == 0)
        status = allocate(&drawing, error);
    if (status == 0)
        status = draw(file, &drawing, options, error);
    free(drawing.cells);
    free(drawing.elements);
    free(drawing.sums);
    return status;
}

static const struct engine_file_format about = {
    ENGINE_FILE_FORMAT("png", "1.0", "picture of a grid of two axes, of a view of three, of a batch, or of particles",
                       ".png"),
    .flags = ENGINE_FORMAT_NOTES | ENGINE_FORMAT_BATCHES,
    .bytes = ENGINE_SIZE_PICTURE,
};

static const struct io_own own = {
    .picture = true,
    .writes = writes,
    .write = write_png,
};

const struct io_format io_png = {.about = &about, .own = &own};
