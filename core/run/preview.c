#include "run/preview.h"
#include "base/convert.h"
#include "io/particles.h"
#include "io/png_particles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS_READ = 1 << 21, ROWS_READ = 1 << 10 }; /* for a picture, at most, but for a row to each row of shades */

int view_array(const struct io_document *document)
{
    for (uint32_t i = 0; i < document->count; i++)
        if (document->arrays[i].shape.rank >= 2 || document->arrays[i].bins ||
            particles_are_positions(&document->arrays[i]))
            return (int) i;
    return document->count > 0 ? 0 : -1;
}

void view_release(struct view *view)
{
    free(view->shades);
    view->shades = NULL;
}

static uint64_t divide_up(uint64_t a, uint64_t b)
{
    return (a - 1) / b + 1;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- Grids: which rows are read, and where their cells go ----------------------------------------------------- */

/* Rows first, first + stride, … before `end` are read along an axis. */
struct strip {
    uint64_t first, end, stride;
};

struct grid {
    struct io_document *document;
    uint32_t array;
    const struct engine_shape *shape;
    uint32_t axis;          /* looked along: 0 … 2 for z, y, x */
    uint64_t width, height; /* of the plane that is seen, in cells */
    uint64_t block;         /* cells a shade along each of its axes */
    uint64_t columns, rows;
    struct strip y, z;
    uint64_t from, to; /* of each row, cells seen */
    double *sums;      /* a shade each */
    uint64_t *counts;  /* of cells in it */
    void *row;
    double *numbers; /* of a row of elements that are no bytes */
};

static bool is_cells(const struct grid *grid)
{
    return grid->shape->type == ENGINE_U8 && grid->document->arrays[grid->array].values >= 2 &&
           grid->shape->components == 1;
}

/* Looked along z the plane is x and y, along y x and z, along x y and z. */
static void choose_plane(struct grid *grid, const struct io_options *how)
{
    const uint64_t *extent = grid->shape->extent;
    grid->axis = grid->shape->rank == 3 ? how->axis : 0;
    grid->width = grid->axis == 2 ? extent[1] : extent[0];
    grid->height = grid->axis == 0 ? extent[1] : extent[2];
    grid->y = (struct strip){0, extent[1], 1};
    grid->z = (struct strip){0, extent[2], 1};
    grid->to = extent[0];
    if (grid->shape->rank < 3 || how->view != IO_SLICE)
        return;
    const uint64_t depth = extent[2 - grid->axis];
    const uint64_t at = how->slice == IO_MIDDLE ? depth / 2 : (uint64_t) how->slice % depth;
    if (grid->axis == 2)
        grid->from = at, grid->to = at + 1;
    else
        *(grid->axis == 0 ? &grid->z : &grid->y) = (struct strip){at, at + 1, 1};
}

static uint64_t rows_of(const struct strip *strip)
{
    return divide_up(strip->end - strip->first, strip->stride);
}

/* Leaves rows out until few enough are left; each row of shades keeps one. */
static void thin_out(struct grid *grid)
{
    const uint64_t most_y = grid->axis == 1 ? grid->y.end : grid->block;
    const uint64_t most_z = grid->axis == 0 ? grid->z.end : grid->block;
    for (;;) {
        const uint64_t rows = rows_of(&grid->y) * rows_of(&grid->z);
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
    grid->sums[at] += sum_of(grid, begin, end);
    grid->counts[at] += end - begin;
}

/* Looked along x a row is one dot of the picture, otherwise one of its rows. */
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

/* ---- Shades --------------------------------------------------------------------------------------------------- */

/* A single live cell among many can still be seen. */
static void shade_cells(const struct grid *grid, uint8_t *shades)
{
    const double most = (double) grid->document->arrays[grid->array].values - 1;
    for (uint64_t i = 0; i < grid->columns * grid->rows; i++)
        shades[i] = grid->counts[i] == 0
                        ? 0
                        : (uint8_t) lround(255 * log1p(grid->sums[i] / most) / log1p((double) grid->counts[i]));
}

static void widen(struct view *view, double number)
{
    view->low = view->ranged ? fmin(view->low, number) : number;
    view->high = view->ranged ? fmax(view->high, number) : number;
    view->ranged = true;
}

static uint8_t shade_between(const struct view *view, double number)
{
    const double span = view->high - view->low;
    return isfinite(number) && span > 0 ? (uint8_t) lround(255 * (number - view->low) / span) : 0;
}

static void shade_numbers(struct view *view, const struct grid *grid, uint8_t *shades)
{
    const uint64_t count = grid->columns * grid->rows;
    for (uint64_t i = 0; i < count; i++) {
        grid->sums[i] /= (double) larger(grid->counts[i], 1);
        if (isfinite(grid->sums[i]))
            widen(view, grid->sums[i]);
    }
    for (uint64_t i = 0; i < count; i++)
        shades[i] = shade_between(view, grid->sums[i]);
}

/* Of bins: columns as high as their values. */
static void shade_bins(struct view *view, const struct grid *grid, uint8_t *shades)
{
    double *levels = grid->sums;
    view->ranged = false;
    widen(view, 0);
    for (uint64_t x = 0; x < grid->columns; x++) {
        levels[x] = isfinite(levels[x]) ? levels[x] / (double) larger(grid->counts[x], 1) : 0;
        widen(view, levels[x]);
    }
    for (uint64_t y = 0; y < view->rows; y++)
        for (uint64_t x = 0; x < grid->columns; x++) {
            const double level =
                view->low + (view->high - view->low) * ((double) (view->rows - 1 - y) + 0.5) / (double) view->rows;
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

static void fit_room(struct view *view, struct grid *grid, const struct view_room *room)
{
    const bool bins = grid->document->arrays[grid->array].bins;
    view->scale = 1;
    fit(grid, room->columns, bins ? UINT64_MAX : room->rows);
    const bool flat = grid->shape->rank < 3 || view->how.view == IO_SLICE;
    const bool two = is_cells(grid) && grid->document->arrays[grid->array].values == 2 && flat;
    if (two && grid->block > 1 && grid->width <= room->dot_columns && grid->height <= room->dot_rows)
        fit(grid, room->dot_columns, room->dot_rows);
    else if (grid->block == 1 && !bins)
        view->scale = larger(1, room->columns / grid->columns < room->rows / grid->rows ? room->columns / grid->columns
                                                                                        : room->rows / grid->rows);
    view->exact = two && grid->block == 1;
    view->columns = grid->columns;
    view->rows = bins ? room->rows : grid->rows;
}

static int make_room(struct view *view, struct grid *grid, struct engine_error *error)
{
    const uint64_t elements = grid->shape->extent[0] * grid->shape->components, shades = grid->columns * grid->rows;
    grid->sums = calloc(shades, sizeof *grid->sums);
    grid->counts = calloc(shades, sizeof *grid->counts);
    grid->row = malloc(elements * type_bytes(grid->shape->type));
    grid->numbers = is_cells(grid) ? NULL : calloc(elements, sizeof *grid->numbers);
    view->shades = malloc(view->columns * view->rows);
    const bool there = grid->sums && grid->counts && grid->row && (grid->numbers || is_cells(grid)) && view->shades;
    return there ? 0 : error_memory(error, elements * sizeof *grid->numbers, "a picture for the terminal");
}

static int take_grid(struct view *view, struct io_document *document, uint32_t array, const struct view_room *room,
                     struct engine_error *error)
{
    struct grid grid = {.document = document, .array = array, .shape = &document->arrays[array].shape};
    choose_plane(&grid, &view->how);
    if (document->arrays[array].bins)
        grid.height = grid.y.end = grid.z.end = 1;
    fit_room(view, &grid, room);
    thin_out(&grid);
    int status = make_room(view, &grid, error);
    if (status == 0)
        status = read_rows(&grid, error);
    if (status == 0 && document->arrays[array].bins)
        shade_bins(view, &grid, view->shades);
    else if (status == 0 && is_cells(&grid))
        shade_cells(&grid, view->shades);
    else if (status == 0)
        shade_numbers(view, &grid, view->shades);
    free(grid.sums);
    free(grid.counts);
    free(grid.row);
    free(grid.numbers);
    return status;
}

/* All pictures show what fits the first one. */
static int take_particles(struct view *view, struct io_document *document, uint32_t array, const struct view_room *room,
                          struct engine_error *error)
{
    uint64_t size[2];
    if (io_fix_bounds(document, &view->how, error) != 0)
        return error->status;
    const double across = view->how.bounds[1] - view->how.bounds[0], up = view->how.bounds[3] - view->how.bounds[2];
    const double a_unit = fmin((double) room->columns / across, (double) room->rows / up);
    view->how.pixels = (uint32_t) fmax(1, floor(a_unit * fmax(across, up)));
    view->scale = 1;
    view->exact = false;
    const int status = particles_shades(document, array, &view->how, size, &view->shades, error);
    view->columns = size[0];
    view->rows = size[1];
    return status;
}

int view_take(struct view *view, struct io_document *document, const struct view_room *room, struct engine_error *error)
{
    const int array = view_array(document);
    view_release(view);
    if (array < 0)
        return error_set(error, ENGINE_STATUS_USAGE, "there is nothing to be seen of this plugin's fields");
    if (particles_are_positions(&document->arrays[array]))
        return take_particles(view, document, (uint32_t) array, room, error);
    return take_grid(view, document, (uint32_t) array, room, error);
}
