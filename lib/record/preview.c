#include "record/preview.h"
#include "base/convert.h"
#include "files/particles.h"
#include "record/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A picture reads at most so many cells and rows, but at least one row for each row of shades. */
enum { CELLS_READ = 1 << 21, ROWS_READ = 1 << 10 };

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

/* ---- Grids in host memory: the rows that are read, and the shades that their cells belong to --------------------- */

/* The rows first, first + stride, … before `end` along an axis. */
struct rows {
    uint64_t first, end, stride;
};

struct grid {
    struct io_document *document;
    uint32_t array;
    const struct engine_shape *shape;
    uint32_t axis;               /* the axis of view: 0 … 2 for z, y, x */
    uint64_t width, height;      /* of the plane of the picture, in cells */
    uint64_t block;              /* a shade stands for block x block cells of that plane */
    uint64_t columns, rows;      /* of shades */
    struct rows y, z;            /* the rows that are read */
    uint64_t from, to;           /* the cells of each row that are seen, if the axis of view is x */
    double *sums;                /* the sum of the cells of each shade */
    uint64_t *counts;            /* the number of the cells of each shade */
    const uint8_t (*colours)[3]; /* of the cells; NULL: they are grey */
    uint64_t (*tints)[4]; /* of each shade, with colours: the sums of the colours of its live cells, their number */
    void *row;            /* the row that was read */
    double *numbers;      /* the same as numbers, if its elements are not cells */
};

static bool is_cells(const struct grid *grid)
{
    return grid->shape->type == ENGINE_U8 && grid->document->arrays[grid->array].values >= 2 &&
           grid->shape->components == 1;
}

/* Chooses the plane of the picture: (x, y) for the axis of view z, (x, z) for y, and (y, z) for x. */
static void choose_plane(struct grid *grid, const struct io_options *how)
{
    const uint64_t *extent = grid->shape->extent;
    grid->axis = grid->shape->rank == 3 ? how->axis : 0;
    grid->width = grid->axis == 2 ? extent[1] : extent[0];
    grid->height = grid->axis == 0 ? extent[1] : extent[2];
    grid->y = (struct rows){0, extent[1], 1};
    grid->z = (struct rows){0, extent[2], 1};
    grid->to = extent[0];
    if (grid->shape->rank < 3 || how->view != IO_SLICE)
        return;
    const uint64_t depth = extent[2 - grid->axis];
    const uint64_t at = how->slice == IO_MIDDLE ? depth / 2 : (uint64_t) how->slice % depth;
    if (grid->axis == 2)
        grid->from = at, grid->to = at + 1;
    else
        *(grid->axis == 0 ? &grid->z : &grid->y) = (struct rows){at, at + 1, 1};
}

static uint64_t row_count(const struct rows *rows)
{
    return divide_up(rows->end - rows->first, rows->stride);
}

/* Doubles the strides until few enough rows are left. Each row of shades keeps at least one. */
static void thin_out(struct grid *grid)
{
    const uint64_t most_y = grid->axis == 1 ? grid->y.end : grid->block;
    const uint64_t most_z = grid->axis == 0 ? grid->z.end : grid->block;
    for (;;) {
        const uint64_t rows = row_count(&grid->y) * row_count(&grid->z);
        if (rows <= ROWS_READ && rows * grid->shape->extent[0] <= CELLS_READ)
            return;
        const bool z = 2 * grid->z.stride <= most_z && (grid->z.stride <= grid->y.stride || grid->axis == 0);
        if (!z && 2 * grid->y.stride > most_y)
            return;
        *(z ? &grid->z.stride : &grid->y.stride) *= 2;
    }
}

/* The sum of cells [begin, end) of the row. */
static double sum_of(const struct grid *grid, uint64_t begin, uint64_t end)
{
    const uint8_t *cells = grid->row;
    uint64_t live = 0;
    double sum = 0;
    if (is_cells(grid)) {
        for (uint64_t x = begin; x < end; x++)
            live += cells[x];
        return (double) live;
    }
    for (uint64_t x = begin; x < end; x++)
        sum += grid->numbers[x * grid->shape->components];
    return sum;
}

static void add(const struct grid *grid, uint64_t at, uint64_t begin, uint64_t end)
{
    const uint8_t *cells = grid->row;
    for (uint64_t x = begin; grid->colours && x < end; x++)
        if (cells[x] != 0) {
            for (int c = 0; c < 3; c++)
                grid->tints[at][c] += grid->colours[cells[x]][c];
            grid->tints[at][3]++;
        }
    grid->sums[at] += sum_of(grid, begin, end);
    grid->counts[at] += end - begin;
}

/* Adds the cells of a row to their shades. Seen along x, a row is one point of the picture; otherwise it is a row. */
static void add_row(const struct grid *grid, uint64_t y, uint64_t z)
{
    const uint64_t down = (grid->axis == 0 ? y : z) / grid->block * grid->columns;
    if (grid->axis == 2) {
        add(grid, down + y / grid->block, grid->from, grid->to);
        return;
    }
    for (uint64_t column = 0, x = 0; column < grid->columns; column++, x += grid->block)
        add(grid, down + column, x, x + grid->block < grid->width ? x + grid->block : grid->width);
}

static int read_row(const struct grid *grid, uint64_t y, uint64_t z, struct engine_error *error)
{
    const uint64_t count = grid->shape->extent[0] * grid->shape->components;
    const uint64_t begin = (z * grid->shape->extent[1] + y) * count;
    const int status = grid->document->read(grid->document, grid->array, begin, count, grid->row, error);
    if (status == 0 && grid->numbers != NULL && convert_possible(grid->shape->type, ENGINE_F64))
        convert_elements(grid->shape->type, grid->row, count, ENGINE_F64, grid->numbers);
    return status;
}

static int read_rows(const struct grid *grid, struct engine_error *error)
{
    for (uint64_t z = grid->z.first; z < grid->z.end; z += grid->z.stride)
        for (uint64_t y = grid->y.first; y < grid->y.end; y += grid->y.stride) {
            const int status = read_row(grid, y, z, error);
            if (status != 0)
                return status;
            add_row(grid, y, z);
        }
    return 0;
}

/* ---- Grids on a device: all cells, added up where they are ------------------------------------------------------ */

static bool is_on_device(const struct grid *grid)
{
    return grid->document->read_region && !grid->colours && grid->document->arrays[grid->array].kind != ENGINE_BINS &&
           grid->shape->type <= ENGINE_F64;
}

/* The blocks of the shades: square in the plane of the picture, and along the axis of view all cells that are seen. */
static struct region blocks_of(const struct grid *grid)
{
    const bool two = is_cells(grid) && grid->document->arrays[grid->array].values == 2;
    struct region region = {{grid->from, grid->y.first, grid->z.first},
                            {grid->to, grid->y.end, grid->z.end},
                            {grid->block, grid->block, grid->block},
                            two ? REGION_COUNT : REGION_MEAN};
    region.block[2 - grid->axis] = grid->shape->extent[2 - grid->axis];
    return region;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Fills in the sums of the shades, which lie in the order of the region's array, and the numbers of their cells. */
static void take_blocks(const struct grid *grid, const struct region *region, const double *levels)
{
    const uint32_t depth = 2 - grid->axis;
    const uint64_t deep = region->end[depth] - region->begin[depth];
    for (uint64_t i = 0; i < grid->columns * grid->rows; i++) {
        const uint64_t x = i % grid->columns * grid->block, y = i / grid->columns * grid->block;
        grid->counts[i] = least(grid->block, grid->width - x) * least(grid->block, grid->height - y) * deep;
        grid->sums[i] = levels[i * grid->shape->components];
        if (region->reduce == REGION_MEAN)
            grid->sums[i] *= (double) grid->counts[i];
    }
}

static int read_blocks(const struct grid *grid, struct engine_error *error)
{
    const struct region region = blocks_of(grid);
    const struct engine_shape made = region_shape(&region, grid->shape);
    uint64_t elements;
    shape_elements(&made, &elements);
    void *read = malloc(elements * type_bytes(made.type));
    double *levels = malloc(elements * sizeof *levels);
    int status = read && levels
                     ? grid->document->read_region(grid->document, grid->array, &region, 0, elements, read, error)
                     : error_memory(error, elements * sizeof *levels, "a picture for the terminal");
    if (status == 0) {
        convert_elements(made.type, read, elements, ENGINE_F64, levels);
        take_blocks(grid, &region, levels);
    }
    free(read);
    free(levels);
    return status;
}

/* ---- Shades --------------------------------------------------------------------------------------------------- */

/* The logarithm shows even a single live cell among many. */
static void shade_cells(const struct grid *grid, uint8_t *shades)
{
    const double most = (double) grid->document->arrays[grid->array].values - 1;
    for (uint64_t i = 0; i < grid->columns * grid->rows; i++)
        shades[i] = grid->counts[i] == 0
                        ? 0
                        : (uint8_t) lround(255 * log1p(grid->sums[i] / most) / log1p((double) grid->counts[i]));
}

/* The mean colour of the live cells, over that of state 0. The logarithm shows even a single live cell among many. */
static void tint_cells(const struct grid *grid, uint8_t *tints)
{
    for (uint64_t i = 0; i < grid->columns * grid->rows; i++) {
        const double live = (double) grid->tints[i][3];
        const double share = live > 0 ? log1p(live) / log1p((double) grid->counts[i]) : 0;
        for (int c = 0; c < 3; c++) {
            const double under = grid->colours[0][c], over = live > 0 ? (double) grid->tints[i][c] / live : 0;
            tints[3 * i + (uint64_t) c] = (uint8_t) lround(under + (over - under) * share);
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
    for (uint64_t i = 0; i < count; i++) {
        grid->sums[i] /= (double) larger(grid->counts[i], 1);
        if (isfinite(grid->sums[i]))
            widen(preview, grid->sums[i]);
    }
    for (uint64_t i = 0; i < count; i++)
        shades[i] = shade_between(preview, grid->sums[i]);
}

/* Draws each bin as a column whose height is its value. */
static void shade_bins(struct preview *preview, const struct grid *grid, uint8_t *shades)
{
    double *levels = grid->sums;
    preview->ranged = false;
    widen(preview, 0);
    for (uint64_t x = 0; x < grid->columns; x++) {
        levels[x] = isfinite(levels[x]) ? levels[x] / (double) larger(grid->counts[x], 1) : 0;
        widen(preview, levels[x]);
    }
    for (uint64_t y = 0; y < preview->rows; y++)
        for (uint64_t x = 0; x < grid->columns; x++) {
            const double level = preview->low + (preview->high - preview->low) *
                                                    ((double) (preview->rows - 1 - y) + 0.5) / (double) preview->rows;
            shades[y * grid->columns + x] = levels[x] > level ? 255 : 0;
        }
}

/* ---- Pictures ------------------------------------------------------------------------------------------------- */

static void fit(struct grid *grid, uint64_t columns, uint64_t rows)
{
    grid->block = larger(divide_up(grid->width, columns), divide_up(grid->height, rows));
    grid->columns = divide_up(grid->width, grid->block);
    grid->rows = divide_up(grid->height, grid->block);
}

static void fit_space(struct preview *preview, struct grid *grid, const struct preview_space *space)
{
    const bool bins = grid->document->arrays[grid->array].kind == ENGINE_BINS;
    preview->scale = 1;
    fit(grid, space->columns, bins ? UINT64_MAX : space->rows);
    const bool flat = grid->shape->rank < 3 || preview->how.view == IO_SLICE;
    const bool two = is_cells(grid) && grid->document->arrays[grid->array].values == 2 && flat && !grid->colours;
    if (two && grid->block > 1 && grid->width <= space->dot_columns && grid->height <= space->dot_rows)
        fit(grid, space->dot_columns, space->dot_rows);
    else if (grid->block == 1 && !bins)
        preview->scale =
            larger(1, space->columns / grid->columns < space->rows / grid->rows ? space->columns / grid->columns
                                                                                : space->rows / grid->rows);
    preview->exact = two && grid->block == 1;
    preview->columns = grid->columns;
    preview->rows = bins ? space->rows : grid->rows;
}

static int allocate(struct preview *preview, struct grid *grid, struct engine_error *error)
{
    const uint64_t elements = grid->shape->extent[0] * grid->shape->components, shades = grid->columns * grid->rows;
    grid->sums = calloc(shades, sizeof *grid->sums);
    grid->counts = calloc(shades, sizeof *grid->counts);
    grid->row = malloc(elements * type_bytes(grid->shape->type));
    grid->numbers = is_cells(grid) ? NULL : calloc(elements, sizeof *grid->numbers);
    preview->shades = malloc(preview->columns * preview->rows);
    grid->tints = grid->colours ? calloc(shades, sizeof *grid->tints) : NULL;
    preview->tints = grid->colours ? malloc(3 * shades) : NULL;
    const bool tinted = !grid->colours || (grid->tints && preview->tints);
    const bool allocated =
        grid->sums && grid->counts && grid->row && (grid->numbers || is_cells(grid)) && preview->shades && tinted;
    return allocated ? 0 : error_memory(error, elements * sizeof *grid->numbers, "a picture for the terminal");
}

static int take_grid(struct preview *preview, struct io_document *document, uint32_t array,
                     const struct preview_space *space, struct engine_error *error)
{
    struct grid grid = {.document = document, .array = array, .shape = &document->arrays[array].shape};
    if (is_cells(&grid) && grid.shape->rank < 3 && preview->how.colours == IO_AUTO)
        grid.colours = document->looks[array].colours;
    choose_plane(&grid, &preview->how);
    if (document->arrays[array].kind == ENGINE_BINS)
        grid.height = grid.y.end = grid.z.end = 1;
    fit_space(preview, &grid, space);
    if (!is_on_device(&grid))
        thin_out(&grid);
    int status = allocate(preview, &grid, error);
    if (status == 0)
        status = (is_on_device(&grid) ? read_blocks : read_rows)(&grid, error);
    if (status == 0 && document->arrays[array].kind == ENGINE_BINS)
        shade_bins(preview, &grid, preview->shades);
    else if (status == 0 && is_cells(&grid))
        shade_cells(&grid, preview->shades);
    else if (status == 0)
        shade_numbers(preview, &grid, preview->shades);
    if (status == 0 && grid.colours)
        tint_cells(&grid, preview->tints);
    free(grid.sums);
    free(grid.tints);
    free(grid.counts);
    free(grid.row);
    free(grid.numbers);
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
    if (array < 0)
        return error_set(error, ENGINE_STATUS_USAGE, "the plugin has no field that a picture can show");
    if (particles_are_positions(&document->arrays[array]))
        return take_particles(preview, document, space, error);
    return take_grid(preview, document, (uint32_t) array, space, error);
}
