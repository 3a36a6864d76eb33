/* Pictures of grids. Live cells are white: a sample is the value of its cell, scaled to black … white. Grids of two
 * states take 1 bit per pixel. In a large grid a sample is the mean of a square block of cells, so that viewers can
 * open the picture. png_volume.c draws a slice or a projection of a volume. */
#include "formats/pictures/png.h"
#include "files/file.h"
#include "files/file_stream.h"
#include "files/particles.h"
#include "formats/pictures/drawing.h"
#include "formats/pictures/png_batch.h"
#include "formats/pictures/png_particles.h"
#include "formats/pictures/png_volume.h"

#include <string.h>

int png_holds(const struct engine_file_array *array)
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
static int read_row(void *context, uint64_t row, uint8_t *cells)
{
    const struct drawing *drawing = context;
    return drawing_read(drawing, drawing->origin + row * drawing->width, drawing->width, cells);
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

static int reduced_row(void *context, uint64_t row, uint8_t *samples)
{
    const struct drawing *drawing = context;
    uint64_t top = row * drawing->block;
    uint64_t bottom = top + at_most(drawing->height - top, drawing->block);
    const uint64_t sums = drawing->colours ? 3 * drawing->columns : drawing->columns;
    memset(drawing->sums, 0, sums * sizeof *drawing->sums);
    for (uint64_t y = top; y < bottom; y++) {
        const int code = read_row(context, y, drawing->cells);
        if (code != 0)
            return code;
        add_row(drawing);
    }
    for (uint64_t i = 0; i < sums; i++) {
        const uint64_t area = drawing_area(drawing, drawing->colours ? i / 3 : i, row);
        samples[i] = drawing->colours ? (uint8_t) ((drawing->sums[i] + area / 2) / area)
                                      : drawing_grey(drawing, drawing->sums[i], area);
    }
    return 0;
}

static int grey_row(void *context, uint64_t row, uint8_t *samples)
{
    const struct drawing *drawing = context;
    const int code = read_row(context, row, samples);
    for (uint64_t x = 0; code == 0 && x < drawing->width; x++)
        samples[x] = drawing_grey(drawing, samples[x], 1);
    return code;
}

/* ---- Pictures ----------------------------------------------------------------------------------------------- */

/* Chooses one universe of a batch. Those of one axis are the rows of an array of two. */
static int choose_universe(struct drawing *drawing)
{
    const struct engine_shape *shape = &drawing->array->shape;
    const uint64_t universe = drawing->scene->options->universe, there = shape->extent[shape->rank - 1];
    if (!drawing->array->batch || universe == 0)
        return 0;
    if (universe > there)
        return ENGINE_FAIL_FILE(drawing->scene->file, "there is no universe %llu: the batch has %llu, counted from 0",
                                (unsigned long long) universe - 1, (unsigned long long) there);
    if (shape->rank == 2)
        drawing->height = 1;
    drawing->origin = (universe - 1) * drawing->width * drawing->height;
    return 0;
}

/* Decides which plane is drawn, and how many of its cells make a sample. */
static int plan_drawing(struct drawing *drawing)
{
    const struct io_options *options = drawing->scene->options;
    drawing->width = drawing->array->shape.extent[0];
    drawing->height = drawing->array->shape.extent[1];
    if (choose_universe(drawing) != 0)
        return ENGINE_INVALID;
    drawing_plan_shades(drawing);
    if (is_volume(drawing) && volume_plan(drawing) != 0)
        return ENGINE_INVALID;
    uint64_t longer = drawing->width > drawing->height ? drawing->width : drawing->height;
    drawing->block = options->scale == 0 ? (longer - 1) / PICTURE_LONGEST_SIDE + 1 : 1;
    if (batch_is_mosaic(drawing->array, options))
        drawing->block = batch_lay_out(drawing->array, options).block;
    drawing->columns = (drawing->width - 1) / drawing->block + 1;
    drawing->rows = (drawing->height - 1) / drawing->block + 1;
    return 0;
}

static int allocate(struct drawing *drawing)
{
    const struct engine_file *file = drawing->scene->file;
    const uint64_t cells = drawing->array->shape.extent[0] * drawing->piece;
    uint64_t sums = drawing->colours ? 3 * drawing->columns : drawing->columns, bytes;
    if (!multiply(sums, is_volume(drawing) ? drawing->rows : 1, &sums) ||
        !multiply(sums, sizeof *drawing->sums, &bytes))
        bytes = INT64_MAX;
    drawing->cells = file->allocate(file, cells);
    drawing->elements = drawing->shaded ? file->allocate(file, cells * type_bytes(drawing->array->shape.type)) : NULL;
    drawing->sums = file->allocate(file, bytes);
    if (drawing->cells == NULL || (drawing->elements == NULL && drawing->shaded) || drawing->sums == NULL)
        return ENGINE_NO_MEMORY;
    memset(drawing->sums, 0, bytes);
    return 0;
}

/* A part of a grid may have one element for each block of cells. */
static double samples_per_cell(const struct drawing *drawing)
{
    const uint64_t stride = drawing->array->stride[is_volume(drawing) && drawing->axis == 2 ? 1 : 0];
    return 1.0 / (double) (drawing->block * (stride > 0 ? stride : 1));
}

static int draw(struct drawing *drawing)
{
    const struct io_options *options = drawing->scene->options;
    struct picture picture = {.width = drawing->columns,
                              .height = drawing->rows,
                              .scale = options->scale,
                              .colours = options->colours,
                              .own = drawing->colours,
                              .rgb = drawing->colours && drawing->block > 1,
                              .bilevel = drawing->array->values == 2 && drawing->block == 1 && !drawing->shaded &&
                                         !drawing->colours && !(is_volume(drawing) && drawing->view == IO_PROJECTION),
                              .samples_per_unit = samples_per_cell(drawing),
                              .unit = "cell",
                              .scene = drawing->scene,
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
        return batch_draw(drawing, &mosaic, &picture);
    const int code = is_volume(drawing) ? volume_sum(drawing) : 0;
    return code == 0 ? picture_write(&picture) : code;
}

int png_draw(const struct scene *scene)
{
    const struct engine_file *file = scene->file;
    struct drawing drawing = {.scene = scene, .array = &scene->content->arrays.at[0], .piece = 1};
    if (particles_are_positions(drawing.array))
        return particles_draw(scene);
    int code = plan_drawing(&drawing);
    if (code == 0)
        code = allocate(&drawing);
    if (code == 0)
        code = draw(&drawing);
    file->release(file, drawing.cells);
    file->release(file, drawing.elements);
    file->release(file, drawing.sums);
    return code;
}

static int write_png(const struct engine_file *file, void *self, const struct engine_file_frame *frame)
{
    struct scene scene = {file, frame->content, frame, file_options(file), file_stream_open(file)};
    (void) self;
    return scene.stream != NULL ? file_stream_close(file, scene.stream, png_draw(&scene)) : ENGINE_NO_MEMORY;
}

const struct engine_file_format png_file_format = {
    ENGINE_FILE_FORMAT("png", "1.0", "picture of a grid of two axes, of a view of three, of a batch, or of particles",
                       ".png"),
    .flags = ENGINE_FORMAT_PICTURE | ENGINE_FORMAT_NOTES | ENGINE_FORMAT_BATCHES,
    .arrays = PNG_ARRAYS,
    .create = io_keep_nothing,
    .write = write_png,
    .holds = png_holds,
    .bytes = ENGINE_SIZE_PICTURE,
};
