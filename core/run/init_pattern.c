/* A pattern somewhere on the grid, row by row. */
#include "run/init_ways.h"

#include <stdlib.h>
#include <string.h>

/* Elements of a field whose number is limited must be below it. */
static int check_values(const struct engine_field *field, const void *elements, uint64_t count, const char *file,
                        struct engine_error *error)
{
    const uint8_t *bytes = elements;
    if (field->values == 0 || field->type != ENGINE_U8 || field->values == 256)
        return 0;
    uint8_t highest = 0;
    for (uint64_t i = 0; i < count; i++)
        highest = bytes[i] > highest ? bytes[i] : highest;
    if (highest < field->values)
        return 0;
    return error_set(error, ENGINE_STATUS_INPUT, "%s: holds the value %u; field %s takes 0 to %u", file, highest,
                     field->name, field->values - 1);
}

/* The place of the pattern's first cell: what the configuration says; else what the file says, where it speaks of this
 * very grid; else such that the pattern is centred. */
static void place_pattern(const struct state *state, uint64_t at[3])
{
    const struct settings *settings = &state->plan->settings;
    const struct io_document *pattern = state->plan->pattern;
    const uint64_t *grid = state_geometry(state, 0)->shape.extent;
    const bool said = pattern->header.placed && memcmp(pattern->header.grid, grid, sizeof pattern->header.grid) == 0;
    for (int axis = 0; axis < 3; axis++) {
        int64_t place = (int64_t) (grid[axis] / 2) - (int64_t) (pattern->arrays[0].shape.extent[axis] / 2);
        if (settings->at_given && !settings->centred)
            place = settings->at[axis];
        else if (!settings->at_given && said)
            place = pattern->header.at[axis];
        int64_t extent = (int64_t) grid[axis];
        at[axis] = (uint64_t) ((place % extent + extent) % extent);
    }
}

/* Rows of the grid that lie side by side, gathered until they make a piece: every transfer to a device costs the same
 * as many rows. A row that is longer than a piece goes by itself. */
struct gathered {
    struct state *state;
    uint64_t begin, count; /* elements gathered; whole rows */
    uint64_t row, room;    /* elements of a row, and of as many as fit */
    uint8_t *elements;
    uint8_t *blank; /* a row of the field's initial value */
};

static uint64_t grid_row(const struct state *state, uint64_t y, uint64_t z)
{
    const struct engine_shape *grid = &state_geometry(state, 0)->shape;
    return (z * grid->extent[1] + y) * grid->extent[0] * grid->components;
}

static int gather_open(struct state *state, struct gathered *gathered, struct engine_error *error)
{
    const struct engine_shape *grid = &state_geometry(state, 0)->shape;
    const uint64_t row = grid->extent[0] * grid->components;
    *gathered = (struct gathered){.state = state, .row = row, .room = row < INIT_PIECE ? INIT_PIECE / row * row : row};
    gathered->elements = malloc(gathered->room * type_bytes(grid->type));
    gathered->blank = calloc(row, type_bytes(grid->type));
    if (!gathered->elements || !gathered->blank)
        return error_memory(error, gathered->room * type_bytes(grid->type), "the pattern");
    init_elements(gathered->blank, grid->type, row, init_field(state, 0)->initial);
    return 0;
}

static int gather_flush(struct gathered *gathered, struct engine_error *error)
{
    const uint64_t count = gathered->count;
    gathered->count = 0;
    return count == 0 ? 0 : state_write(gathered->state, 0, gathered->begin, count, gathered->elements, error);
}

/* Elements [x, x + n) of the pattern's row, onto the torus' row that begins at `row`. */
static int gather_row(struct gathered *gathered, uint64_t row, uint64_t x, uint64_t n, const uint8_t *elements,
                      struct engine_error *error)
{
    const struct engine_shape *grid = &state_geometry(gathered->state, 0)->shape;
    const uint64_t cell = (uint64_t) type_bytes(grid->type) * grid->components;
    if ((row != gathered->begin + gathered->count || gathered->count == gathered->room) &&
        gather_flush(gathered, error) != 0)
        return error->status;
    if (gathered->count == 0)
        gathered->begin = row;
    uint8_t *to = gathered->elements + gathered->count * type_bytes(grid->type);
    memcpy(to, gathered->blank, grid->extent[0] * cell);
    const uint64_t first = grid->extent[0] - x < n ? grid->extent[0] - x : n;
    memcpy(to + x * cell, elements, first * cell);
    memcpy(to, elements + first * cell, (n - first) * cell);
    gathered->count += gathered->row;
    return 0;
}

static int copy_pattern_row(struct gathered *gathered, const uint64_t at[3], uint64_t y, uint64_t z, uint8_t *piece,
                            struct engine_error *error)
{
    struct state *state = gathered->state;
    struct io_document *pattern = state->plan->pattern;
    const struct engine_shape *shape = &pattern->arrays[0].shape, *grid = &state_geometry(state, 0)->shape;
    const uint64_t n = shape->extent[0], begin = (z * shape->extent[1] + y) * n * shape->components;
    if (pattern->read(pattern, 0, begin, n * shape->components, piece, error) != 0 ||
        check_values(init_field(state, 0), piece, n * shape->components, state->plan->settings.file, error) != 0)
        return error->status;
    const uint64_t row = grid_row(state, (at[1] + y) % grid->extent[1], (at[2] + z) % grid->extent[2]);
    return gather_row(gathered, row, at[0], n, piece, error);
}

static int copy_pattern(struct gathered *gathered, const uint64_t at[3], uint8_t *piece, struct engine_error *error)
{
    const struct engine_shape *shape = &gathered->state->plan->pattern->arrays[0].shape;
    for (uint64_t z = 0; z < shape->extent[2]; z++)
        for (uint64_t y = 0; y < shape->extent[1]; y++)
            if (copy_pattern_row(gathered, at, y, z, piece, error) != 0)
                return error->status;
    return gather_flush(gathered, error);
}

int init_pattern(struct state *state, struct engine_error *error)
{
    const struct engine_shape *shape = &state->plan->pattern->arrays[0].shape;
    uint64_t at[3];
    place_pattern(state, at);
    for (uint32_t i = 0; i < init_fields(state); i++)
        if (init_default(state, i, error) != 0)
            return error->status;
    const uint64_t bytes = shape->extent[0] * shape->components * type_bytes(shape->type);
    uint8_t *piece = malloc(bytes);
    struct gathered gathered = {0};
    int status = piece ? gather_open(state, &gathered, error) : error_memory(error, bytes, "the pattern");
    if (status == 0)
        status = copy_pattern(&gathered, at, piece, error);
    free(gathered.elements);
    free(gathered.blank);
    free(piece);
    return status;
}
