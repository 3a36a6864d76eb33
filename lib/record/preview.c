#include "record/preview.h"
#include "base/convert.h"
#include "files/particles.h"
#include "record/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a grid in host memory, a picture reads at most so many cells and rows, but at least one row for each row of
 * shades. */
enum { CELLS_READ = 1 << 21, ROWS_READ = 1 << 10 };

/* What a cell with a colour adds to its shade: its value, red, green and blue if it lives, and 1 if it lives. */
enum { VALUE, RED, LIVE = RED + 3, PARTS };

int preview_array(const struct io_document *document)
{
    for (uint32_t i = 0; i < document->count; i++)
        if (document->arrays[i].shape.rank >= 2 || document->arrays[i].kind == ENGINE_BINS ||
            particles_are_positions(&document->arrays[i]))
            return (int) i;
    return document->count > 0 ? 0 : -1;
}

void preview_release(struct preview *preview)
{
    free(preview->shades);
    free(preview->tints);
    preview->shades = preview->tints = NULL;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ---- Grids: the blocks of cells that become shades ------------------------------------------------------------ */

struct grid {
    struct io_document *document;
    uint32_t array;
    const struct engine_file_array *about; /* the array */
    uint32_t across, up, depth;            /* the axes of the picture and of view: 0 … 2 for x, y, z */
    struct region region;                  /* a block of it becomes a shade */
    uint64_t columns, rows;                /* of shades */
    const uint8_t (*colours)[3];           /* of the cells; NULL: they are grey */
    struct region read;                    /* of the grid below, which has all or some of the region's rows */
    struct engine_shape shape;
    uint8_t *cells; /* a row whose cells have colours */
    double *levels; /* what becomes of the blocks: shape.components numbers for each shade */
};

static bool is_cells(const struct engine_file_array *array)
{
    return array->shape.type == ENGINE_U8 && array->values >= 2 && array->shape.components == 1 &&
           array->kind != ENGINE_BINS;
}

/* Chooses the plane of the picture: (x, y) for the axis of view z, (x, z) for y, and (y, z) for x. */
static void choose_plane(struct grid *grid, const struct io_options *how)
{
    const struct engine_shape *shape = &grid->about->shape;
    struct region *region = &grid->region;
    const uint32_t depth = grid->depth = shape->rank == 3 ? 2 - how->axis : 2;
    grid->across = depth == 0;
    grid->up = depth == 2 ? 1 : 2;
    memcpy(region->end, shape->extent, sizeof region->end);
    if (shape->rank == 3 && how->view == IO_SLICE) {
        region->begin[depth] =
            how->slice == IO_MIDDLE ? shape->extent[depth] / 2 : (uint64_t) how->slice % shape->extent[depth];
        region->end[depth] = region->begin[depth] + 1;
    }
    region->block[depth] = region->end[depth] - region->begin[depth];
    region->reduce = is_cells(grid->about) && grid->about->values == 2 && !grid->colours ? REGION_COUNT : REGION_MEAN;
}

static void fit(struct grid *grid, uint64_t columns, uint64_t rows)
{
    const uint64_t width = grid->region.end[grid->across], height = grid->region.end[grid->up];
    const uint64_t block = larger(divide_up(width, columns), divide_up(height, rows));
    grid->region.block[grid->across] = grid->region.block[grid->up] = block;
    grid->columns = divide_up(width, block);
    grid->rows = divide_up(height, block);
}

static void fit_space(struct preview *preview, struct grid *grid, const struct preview_space *space)
{
    const uint64_t *end = grid->region.end, *block = &grid->region.block[grid->up];
    const bool bins = grid->about->kind == ENGINE_BINS;
    preview->scale = 1;
    fit(grid, space->columns, bins ? UINT64_MAX : space->rows);
    const bool flat = grid->about->shape.rank < 3 || preview->how.view == IO_SLICE;
    const bool two = grid->region.reduce == REGION_COUNT && flat;
    if (two && *block > 1 && end[grid->across] <= space->dot_columns && end[grid->up] <= space->dot_rows)
        fit(grid, space->dot_columns, space->dot_rows);
    else if (*block == 1 && !bins)
        preview->scale = larger(1, least(space->columns / grid->columns, space->rows / grid->rows));
    preview->exact = two && *block == 1;
    preview->block = bins ? 0 : *block;
    preview->columns = grid->columns;
    preview->rows = bins ? space->rows : grid->rows;
}

/* The number of cells of a shade that are read. */
static double cells_of(const struct grid *grid, uint64_t shade)
{
    const struct region *read = &grid->read;
    uint64_t at[3] = {0}, cells = 1;
    at[grid->across] = shade % grid->columns;
    at[grid->up] = shade / grid->columns;
    for (int axis = 0; axis < 3; axis++)
        cells *= least(read->block[axis], read->end[axis] - read->begin[axis] - at[axis] * read->block[axis]);
    return (double) cells;
}

/* ---- Reading: on a device all cells, in host memory some rows ------------------------------------------------- */

/* A transfer holds many small universes, so their cells are read. */
static bool is_on_device(const struct grid *grid)
{
    return grid->document->read_region && !grid->colours && grid->about->kind != ENGINE_BINS &&
           !(grid->about->batch && grid->about->shape.rank == 3);
}

/* Halves the number of rows that each block keeps along y or z, until few enough rows are left. */
static void thin_out(struct grid *grid)
{
    uint64_t *keep = grid->read.block, blocks = 1;
    for (int axis = 1; axis < 3; axis++)
        blocks *= divide_up(grid->region.end[axis] - grid->region.begin[axis], keep[axis]);
    for (;;) {
        const uint64_t rows = blocks * keep[1] * keep[2];
        uint64_t *more = keep[2] > keep[1] ? &keep[2] : &keep[1];
        if (*more == 1 || (rows <= ROWS_READ && rows * grid->shape.extent[0] <= CELLS_READ))
            return;
        *more /= 2;
    }
}

/* Describes the grid of the rows that are read. */
static void keep_rows(struct grid *grid)
{
    thin_out(grid);
    for (int axis = 1; axis < 3; axis++) {
        const uint64_t block = grid->region.block[axis], keep = grid->read.block[axis];
        const uint64_t all = grid->region.end[axis] - grid->region.begin[axis];
        grid->read.begin[axis] = 0;
        grid->read.end[axis] = all / block * keep + least(keep, divide_up(all % block, block / keep));
        grid->shape.extent[axis] = grid->read.end[axis];
    }
    if (!grid->colours)
        return;
    grid->shape.type = ENGINE_U32;
    grid->shape.components = PARTS;
}

/* The place along an axis of a row that is read. Those of a block are spread over it. */
static uint64_t place_of(const struct grid *grid, int axis, uint64_t row)
{
    const uint64_t block = grid->region.block[axis], keep = grid->read.block[axis];
    return grid->region.begin[axis] + row / keep * block + row % keep * (block / keep);
}

static void paint(const struct grid *grid, uint64_t count, uint32_t (*parts)[PARTS])
{
    for (uint64_t i = 0; i < count; i++) {
        const uint8_t cell = grid->cells[i];
        parts[i][VALUE] = cell;
        parts[i][LIVE] = cell != 0;
        for (int c = 0; c < 3; c++)
            parts[i][RED + c] = cell != 0 ? grid->colours[cell][c] : 0;
    }
}

static int read_cells(void *context, uint64_t begin, uint64_t count, void *out, struct engine_error *error)
{
    const struct grid *grid = context;
    const uint64_t *extent = grid->shape.extent, components = grid->about->shape.components;
    const uint64_t cell = begin / grid->shape.components, cells = count / grid->shape.components;
    const uint64_t y = place_of(grid, 1, cell / extent[0] % extent[1]),
                   z = place_of(grid, 2, cell / extent[0] / extent[1]);
    const uint64_t first = (z * grid->about->shape.extent[1] + y) * extent[0] + cell % extent[0];
    const int status = grid->document->read(grid->document, grid->array, first * components, cells * components,
                                            grid->colours ? grid->cells : out, error);
    if (status == 0 && grid->colours)
        paint(grid, cells, out);
    return status;
}

/* Complex numbers have no shades. */
static int make_blocks(struct grid *grid, const struct engine_shape *made, void *out, struct engine_error *error)
{
    const uint64_t rows = made->extent[1] * made->extent[2], elements = rows * made->extent[0] * made->components;
    int status = 0;
    if (grid->shape.type > ENGINE_F64)
        return 0;
    if (is_on_device(grid))
        status = grid->document->read_region(grid->document, grid->array, &grid->read, 0, elements, out, error);
    else
        status = region_make_rows(&grid->read, &grid->shape, 0, rows, read_cells, grid, out, error);
    if (status == 0)
        convert_elements(made->type, out, elements, ENGINE_F64, grid->levels);
    return status;
}

static int read_blocks(struct grid *grid, struct engine_error *error)
{
    grid->read = grid->region;
    grid->shape = grid->about->shape;
    if (!is_on_device(grid))
        keep_rows(grid);
    const struct engine_shape made = region_shape(&grid->read, &grid->shape);
    const uint64_t elements = grid->columns * grid->rows * made.components;
    void *out = malloc(elements * type_bytes(made.type));
    grid->levels = calloc(elements, sizeof *grid->levels);
    grid->cells = malloc(grid->shape.extent[0]);
    int status = out && grid->levels && grid->cells
                     ? make_blocks(grid, &made, out, error)
                     : error_memory(error, elements * sizeof *grid->levels, "a picture for the terminal");
    free(out);
    free(grid->cells);
    return status;
}

/* ---- Shades --------------------------------------------------------------------------------------------------- */

static double *level_of(const struct grid *grid, uint64_t shade)
{
    return grid->levels + shade * grid->shape.components;
}

/* The sum of a part of the cells of a shade. */
static double sum_of(const struct grid *grid, uint64_t shade, uint64_t part)
{
    const double level = level_of(grid, shade)[part];
    return grid->read.reduce == REGION_COUNT ? level : level * cells_of(grid, shade);
}

/* The logarithm shows even a single live cell among many. */
static void shade_cells(const struct grid *grid, uint8_t *shades)
{
    const double most = (double) grid->about->values - 1;
    for (uint64_t i = 0; i < grid->columns * grid->rows; i++)
        shades[i] = (uint8_t) lround(255 * log1p(sum_of(grid, i, VALUE) / most) / log1p(cells_of(grid, i)));
}

/* The mean colour of the live cells, over that of state 0. The logarithm shows even a single live cell among many. */
static void tint_cells(const struct grid *grid, uint8_t *tints)
{
    for (uint64_t i = 0; i < grid->columns * grid->rows; i++) {
        const double live = round(sum_of(grid, i, LIVE)), share = log1p(live) / log1p(cells_of(grid, i));
        for (uint64_t c = 0; c < 3; c++) {
            const double under = grid->colours[0][c], over = live > 0 ? round(sum_of(grid, i, RED + c)) / live : 0;
            tints[3 * i + c] = (uint8_t) lround(under + (over - under) * share);
        }
    }
}

static void widen(struct preview *preview, double number)
{
    preview->low = preview->ranged ? fmin(preview->low, number) : number;
    preview->high = preview->ranged ? fmax(preview->high, number) : number;
    preview->ranged = true;
}

static uint8_t shade_between(const struct preview *preview, double number)
{
    const double span = preview->high - preview->low;
    return isfinite(number) && span > 0 ? (uint8_t) lround(255 * (number - preview->low) / span) : 0;
}

static void shade_numbers(struct preview *preview, const struct grid *grid, uint8_t *shades)
{
    const uint64_t count = grid->columns * grid->rows;
    for (uint64_t i = 0; i < count; i++)
        if (isfinite(*level_of(grid, i)))
            widen(preview, *level_of(grid, i));
    for (uint64_t i = 0; i < count; i++)
        shades[i] = shade_between(preview, *level_of(grid, i));
}

/* Draws each bin as a column whose height is its value. */
static void shade_bins(struct preview *preview, const struct grid *grid, uint8_t *shades)
{
    preview->ranged = false;
    widen(preview, 0);
    for (uint64_t x = 0; x < grid->columns; x++) {
        if (!isfinite(*level_of(grid, x)))
            *level_of(grid, x) = 0;
        widen(preview, *level_of(grid, x));
    }
    for (uint64_t y = 0; y < preview->rows; y++)
        for (uint64_t x = 0; x < grid->columns; x++) {
            const double level = preview->low + (preview->high - preview->low) *
                                                    ((double) (preview->rows - 1 - y) + 0.5) / (double) preview->rows;
            shades[y * grid->columns + x] = *level_of(grid, x) > level ? 255 : 0;
        }
}

/* ---- Pictures ------------------------------------------------------------------------------------------------- */

static void shade(struct preview *preview, const struct grid *grid)
{
    if (grid->about->kind == ENGINE_BINS)
        shade_bins(preview, grid, preview->shades);
    else if (is_cells(grid->about))
        shade_cells(grid, preview->shades);
    else
        shade_numbers(preview, grid, preview->shades);
    if (grid->colours)
        tint_cells(grid, preview->tints);
}

static int take_grid(struct preview *preview, struct io_document *document, uint32_t array,
                     const struct preview_space *space, struct engine_error *error)
{
    struct grid grid = {.document = document, .array = array, .about = &document->arrays[array]};
    if (is_cells(grid.about) && (grid.about->shape.rank < 3 || grid.about->batch) && preview->how.colours == IO_AUTO)
        grid.colours = document->looks[array].colours;
    choose_plane(&grid, &preview->how);
    fit_space(preview, &grid, space);
    const uint64_t count = preview->columns * preview->rows;
    preview->shades = malloc(count);
    preview->tints = grid.colours ? malloc(3 * count) : NULL;
    int status = preview->shades && (preview->tints || !grid.colours)
                     ? read_blocks(&grid, error)
                     : error_memory(error, count, "a picture for the terminal");
    if (status == 0)
        shade(preview, &grid);
    free(grid.levels);
    return status;
}

/* The colours of shades, which are in the order of the picture. */
static int tint_shades(struct preview *preview, const uint8_t palette[256][3], struct engine_error *error)
{
    const uint64_t count = preview->columns * preview->rows;
    preview->tints = malloc(3 * count);
    if (!preview->tints)
        return error_memory(error, 3 * count, "a picture for the terminal");
    for (uint64_t i = 0; i < count; i++)
        memcpy(preview->tints + 3 * i, palette[preview->shades[i]], 3);
    return 0;
}

/* Draws particles. All pictures of a series show the bounds that fit the first one, and all pictures of one size have
 * its scale of shades. */
static int take_particles(struct preview *preview, struct io_document *document, const struct preview_space *space,
                          struct engine_error *error)
{
    struct particles_shades made = {.shades = NULL};
    const uint32_t before = preview->how.pixels;
    if (view_fix_bounds(document, &preview->how, error) != 0)
        return error->status;
    const double across = preview->how.bounds[1] - preview->how.bounds[0],
                 up = preview->how.bounds[3] - preview->how.bounds[2];
    const double pixels_per_unit = fmin((double) space->columns / across, (double) space->rows / up);
    preview->how.pixels = (uint32_t) fmax(1, floor(pixels_per_unit * fmax(across, up)));
    preview->scale = 1;
    preview->exact = false;
    if (preview->how.pixels != before)
        preview->how.white = 0;
    if (view_fix_white(document, &preview->how, error) != 0 || view_shades(document, &preview->how, &made, error) != 0)
        return error->status;
    preview->shades = made.shades;
    preview->columns = made.size[0];
    preview->rows = made.size[1];
    return preview->how.colours == IO_GREY ? 0 : tint_shades(preview, (const uint8_t(*)[3]) made.palette, error);
}

int preview_take(struct preview *preview, struct io_document *document, const struct preview_space *space,
                 struct engine_error *error)
{
    const int array = preview_array(document);
    preview_release(preview);
    preview->block = 0;
    if (array < 0)
        return error_set(error, ENGINE_STATUS_USAGE, "the plugin has no field that a picture can show");
    if (particles_are_positions(&document->arrays[array]))
        return take_particles(preview, document, space, error);
    return take_grid(preview, document, (uint32_t) array, space, error);
}
