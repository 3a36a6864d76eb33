/* The initial state from a pattern file: cells placed somewhere on the grid. */
#include "base/context.h"
#include "base/convert.h"
#include "files/init_files.h"
#include "run/init_field.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The elements of a field with a limited number of values must be below that number. `elements` are those of the pattern
 * from element `begin` on; `shape` is that of the pattern. */
static int check_values(const struct engine_field *field, const void *elements, uint64_t begin, uint64_t count,
                        const struct engine_shape *shape, const char *file, struct engine_error *error)
{
    const uint8_t *bytes = elements;
    if (field->values == 0 || field->type != ENGINE_U8 || field->values == 256)
        return 0;
    uint8_t highest = 0;
    for (uint64_t i = 0; i < count; i++)
        highest = bytes[i] > highest ? bytes[i] : highest;
    if (highest < field->values)
        return 0;
    uint64_t at = 0;
    while (bytes[at] < field->values)
        at++;
    const uint64_t cell = (begin + at) / shape->components, row = cell / shape->extent[0];
    const uint64_t y = row % shape->extent[1], z = row / shape->extent[1];
    char plane[32] = "";
    if (z > 0)
        snprintf(plane, sizeof plane, " of plane %llu", (unsigned long long) z);
    return error_set(error, ENGINE_STATUS_INPUT, "%s: cell %llu %llu%s of the pattern is %u; field %s takes 0 to %u",
                     file, (unsigned long long) (cell % shape->extent[0]), (unsigned long long) y, plane, bytes[at],
                     field->name, field->values - 1);
}

/* Does the file give the pattern a place on a grid of this size? */
static bool file_places(const struct plan *plan, const struct engine_shape *whole)
{
    const struct engine_file_pattern *place = &source_files_of(plan)->pattern->header.pattern;
    return place->placed && (memcmp(place->grid, whole->extent, sizeof whole->extent) == 0 ||
                             memcmp(place->grid, plan->shapes[0].extent, sizeof whole->extent) == 0);
}

/* Golly's (0, 0) is the middle of its grids. A file that puts the pattern elsewhere says where it belongs. */
static void warn_of_place(const struct plan *plan, const struct io_document *pattern)
{
    const struct engine_file_pattern *place = &pattern->header.pattern;
    const struct engine_shape whole = plan_whole_shape(plan, 0);
    long long there[2], first[2];
    bool same = true, fits = true;
    for (int axis = 0; axis < 2; axis++) {
        const int64_t extent = (int64_t) pattern->arrays[0].shape.extent[axis], grid = (int64_t) whole.extent[axis];
        there[axis] = (long long) (place->at[axis] - (int64_t) (place->grid[axis] / 2));
        first[axis] = (long long) (there[axis] + grid / 2);
        same = same && there[axis] == -(extent / 2);
        fits = fits && first[axis] >= 0 && first[axis] <= grid - extent;
    }
    if (!place->placed || plan->settings.at_given || same || whole.rank != 2 || file_places(plan, &whole) ||
        plan_is_unbounded(plan))
        return;
    char how[80] = "";
    if (fits)
        snprintf(how, sizeof how, "; [init] at = %lld %lld is that position", first[0], first[1]);
    context_message(plan->context, ENGINE_LOG_WARNING,
                    "%s: the file states the position %lld,%lld, but not on a grid of this size; the run puts the "
                    "pattern into the middle%s",
                    plan->settings.file, there[0], there[1], how);
}

void init_pattern_warn(const struct plan *plan)
{
    const struct source_files *files = source_files_of(plan);
    if (!files || !plan->found.pattern || !files->pattern)
        return;
    if (*files->pattern->remarks)
        context_message(plan->context, ENGINE_LOG_WARNING, "%s: %s", plan->settings.file, files->pattern->remarks);
    warn_of_place(plan, files->pattern);
    if (files->pattern->header.frame.step > 0)
        context_message(plan->context, ENGINE_LOG_WARNING,
                        "%s: this is generation %llu of its pattern; the run counts its steps from 0",
                        plan->settings.file, (unsigned long long) files->pattern->header.frame.step);
}

/* Finds the place of the pattern's first cell: that of the configuration; else that of the file, if it is about a grid
 * of this size or the grid is unbounded; else the one that centres the pattern, up to a column on an unbounded grid. The
 * places on an unbounded grid are counted from its middle. */
static void place_pattern(const struct state *state, uint64_t at[3])
{
    const struct settings *settings = &state->plan->settings;
    const struct io_document *pattern = source_files_of(state->plan)->pattern;
    const struct engine_shape *whole = &state_geometry(state, 0)->shape, *universe = &state->plan->shapes[0];
    const uint64_t *grid = whole->extent;
    for (int axis = 0; axis < 3; axis++) {
        const struct engine_file_pattern *file = &pattern->header.pattern;
        const int64_t middle = (int64_t) (grid[axis] / 2);
        const bool unbounded = plan_is_unbounded(state->plan);
        int64_t place = middle - (int64_t) (pattern->arrays[0].shape.extent[axis] / 2);
        if (settings->at_given && !settings->centred)
            place = settings->at[axis] + (unbounded ? middle : 0);
        else if (!settings->at_given && unbounded && file->placed)
            place = file->at[axis] - (int64_t) (file->grid[axis] / 2) + middle;
        else if (!settings->at_given && file_places(state->plan, whole))
            place = file->at[axis];
        if (axis >= (int) universe->rank) /* the axis of a batch: the pattern begins in universe 0 */
            place = 0;
        int64_t extent = (int64_t) grid[axis];
        at[axis] = (uint64_t) ((place % extent + extent) % extent);
    }
    /* The first cell of a pattern on a triangular grid points up or down as x + y = 0 of Golly's does. */
    if (plan_is_unbounded(state->plan) && universe->rank == 2 && !settings->at_given && !pattern->header.pattern.placed)
        at[0] -= (at[0] + at[1]) % 2;
}

/* Adjacent rows of the grid, collected until they make a piece, because every transfer to a device costs the same as
 * many rows. A row that is longer than a piece is transferred by itself. */
struct row_buffer {
    struct state *state;
    uint64_t begin, count;  /* elements collected; whole rows */
    uint64_t row, capacity; /* elements of a row, and of all rows that fit */
    uint8_t *elements;
    uint8_t *initial_row; /* a row of the field's initial value */
};

static int buffer_open(struct state *state, struct row_buffer *buffer, struct engine_error *error)
{
    const struct engine_shape *grid = &state_geometry(state, 0)->shape;
    const uint64_t row = grid->extent[0] * grid->components;
    if (state->plan->tiling) { /* its rows are not buffered */
        *buffer = (struct row_buffer){.state = state, .row = row};
        return 0;
    }
    *buffer =
        (struct row_buffer){.state = state, .row = row, .capacity = row < INIT_PIECE ? INIT_PIECE / row * row : row};
    buffer->elements = malloc(buffer->capacity * type_bytes(grid->type));
    buffer->initial_row = calloc(row, type_bytes(grid->type));
    if (!buffer->elements || !buffer->initial_row)
        return error_memory(error, buffer->capacity * type_bytes(grid->type), "the pattern");
    init_elements(buffer->initial_row, grid->type, row, init_field(state, 0)->initial);
    return 0;
}

static int buffer_flush(struct row_buffer *buffer, struct engine_error *error)
{
    const uint64_t count = buffer->count;
    buffer->count = 0;
    return count == 0 ? 0 : state_write(buffer->state, 0, buffer->begin, count, buffer->elements, error);
}

/* Writes a row of the pattern at once: a row of the grid in tiles may be very long. */
static int write_row(struct state *state, uint64_t row, uint64_t x, uint64_t n, const uint8_t *elements,
                     struct engine_error *error)
{
    const struct engine_shape *grid = &state_geometry(state, 0)->shape;
    const uint64_t bytes = type_bytes(grid->type), all = grid->extent[0] * grid->components, at = x * grid->components,
                   first = all - at < n * grid->components ? all - at : n * grid->components;
    return state_write(state, 0, row + at, first, elements, error) != 0
               ? error->status
               : state_write(state, 0, row, n * grid->components - first, elements + first * bytes, error);
}

/* Adds a row of the pattern, n cells, from cell x of the grid's row that begins at `row`; it wraps round the
 * edge. */
static int buffer_row(struct row_buffer *buffer, uint64_t row, uint64_t x, uint64_t n, const uint8_t *elements,
                      struct engine_error *error)
{
    const struct engine_shape *grid = &state_geometry(buffer->state, 0)->shape;
    const uint64_t cell = (uint64_t) type_bytes(grid->type) * grid->components;
    if ((row != buffer->begin + buffer->count || buffer->count == buffer->capacity) && buffer_flush(buffer, error) != 0)
        return error->status;
    if (buffer->count == 0)
        buffer->begin = row;
    uint8_t *to = buffer->elements + buffer->count * type_bytes(grid->type);
    memcpy(to, buffer->initial_row, grid->extent[0] * cell);
    const uint64_t first = grid->extent[0] - x < n ? grid->extent[0] - x : n;
    memcpy(to + x * cell, elements, first * cell);
    memcpy(to, elements + first * cell, (n - first) * cell);
    buffer->count += buffer->row;
    return 0;
}

/* A row of the pattern: as the file has it, and as elements of the field. */
struct pattern_row {
    void *held, *elements;
};

static int read_row(struct state *state, uint64_t begin, uint64_t count, const struct pattern_row *row,
                    struct engine_error *error)
{
    struct io_document *pattern = source_files_of(state->plan)->pattern;
    const uint32_t type = state_geometry(state, 0)->shape.type;
    const char *file = state->plan->settings.file;
    if (pattern->read(pattern, 0, begin, count, row->held, error) != 0)
        return error->status;
    const uint64_t fit = convert_elements(pattern->arrays[0].shape.type, row->held, count, type, row->elements);
    if (fit < count)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: element %llu does not fit field %s of type %s", file,
                         (unsigned long long) (begin + fit), init_field(state, 0)->name, type_name(type));
    return check_values(init_field(state, 0), row->elements, begin, count, &pattern->arrays[0].shape, file, error);
}

/* Copies n cells from cell x of a row of the pattern on; all of them unless the grid lies in tiles. */
static int copy_cells(struct row_buffer *buffer, const uint64_t at[3], uint64_t x, uint64_t row_number, uint64_t n,
                      const struct pattern_row *row, struct engine_error *error)
{
    struct state *state = buffer->state;
    const struct engine_shape *shape = &source_files_of(state->plan)->pattern->arrays[0].shape;
    const struct engine_shape *grid = &state_geometry(state, 0)->shape;
    const uint64_t first = (row_number * shape->extent[0] + x) * shape->components;
    if (read_row(state, first, n * shape->components, row, error) != 0)
        return error->status;
    const uint64_t grid_y = (at[1] + row_number % shape->extent[1]) % grid->extent[1];
    const uint64_t grid_z = (at[2] + row_number / shape->extent[1]) % grid->extent[2];
    const uint64_t begin = (grid_z * grid->extent[1] + grid_y) * buffer->row;
    return state->plan->tiling ? write_row(state, begin, (at[0] + x) % grid->extent[0], n, row->elements, error)
                               : buffer_row(buffer, begin, at[0], n, row->elements, error);
}

/* Copies the pattern without the cells that are 0, as the grid in tiles is already. */
static int copy_sparse(struct row_buffer *buffer, const uint64_t at[3], const struct pattern_row *row,
                       struct engine_error *error)
{
    enum { MOST = 4096 };
    struct io_document *pattern = source_files_of(buffer->state->plan)->pattern;
    const uint64_t width = pattern->arrays[0].shape.extent[0];
    for (uint64_t begin = 0, n;; begin += n) {
        if (pattern->seek(pattern, 0, begin, &begin, error) != 0)
            return error->status;
        if (begin == UINT64_MAX)
            return 0;
        const uint64_t left = width - begin % width;
        n = left < MOST ? left : MOST;
        if (copy_cells(buffer, at, begin % width, begin / width, n, row, error) != 0)
            return error->status;
    }
}

static int copy_pattern(struct row_buffer *buffer, const uint64_t at[3], const struct pattern_row *row,
                        struct engine_error *error)
{
    const struct state *state = buffer->state;
    const struct io_document *pattern = source_files_of(state->plan)->pattern;
    const struct engine_shape *shape = &pattern->arrays[0].shape;
    if (state->plan->tiling && pattern->seek && shape->components == 1 && init_field(state, 0)->initial == 0)
        return copy_sparse(buffer, at, row, error);
    for (uint64_t y = 0; y < shape->extent[1] * shape->extent[2]; y++)
        if (copy_cells(buffer, at, 0, y, shape->extent[0], row, error) != 0)
            return error->status;
    return buffer_flush(buffer, error);
}

int init_pattern(struct state *state, struct engine_error *error)
{
    const struct engine_shape *shape = &source_files_of(state->plan)->pattern->arrays[0].shape;
    uint64_t at[3];
    place_pattern(state, at);
    if (init_defaults(state, error) != 0)
        return error->status;
    const uint64_t count = shape->extent[0] * shape->components;
    const uint64_t held = count * type_bytes(shape->type),
                   bytes = count * type_bytes(state_geometry(state, 0)->shape.type);
    struct pattern_row row = {malloc(held), malloc(bytes)};
    struct row_buffer buffer = {0};
    int status = row.held && row.elements ? buffer_open(state, &buffer, error)
                                          : error_memory(error, held + bytes, "the pattern");
    if (status == 0)
        status = copy_pattern(&buffer, at, &row, error);
    if (status == 0 && plan_is_batch(state->plan) && shape->rank <= state->plan->shapes[0].rank)
        status = init_repeat_universe(state, 0, error);
    free(buffer.elements);
    free(buffer.initial_row);
    free(row.held);
    free(row.elements);
    return status;
}
