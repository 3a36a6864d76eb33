#include "tiles/tile_strip.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TILES = 1 << 12 }; /* that wait for a keeper */

int tile_places_make(const struct state *state, int64_t (**out)[3], uint64_t *count, struct tile_nodes *nodes,
                     struct engine_error *error)
{
    struct tile_map *map = state->own;
    *out = NULL;
    *nodes = (struct tile_nodes){0};
    if (map->keeper)
        return map->keeper->places(map, out, count, nodes, error);
    int64_t(*places)[3] = calloc(map->count + 1, sizeof *places);
    *out = places;
    *count = map->count + 1;
    if (!places)
        return error_memory(error, *count * sizeof *places, "the places of the tiles");
    tile_map_sort(map);
    for (uint64_t i = 0; i < map->count; i++)
        for (int axis = 0; axis < 3; axis++)
            places[i + 1][axis] =
                (int64_t) (map->list[i]->at[axis] * map->tiling->side[axis]) - (int64_t) plan_middle(state->plan, axis);
    return 0;
}

int tile_nodes_join(const struct state *state, int64_t (*places)[3], uint64_t count, const struct tile_nodes *nodes,
                    struct engine_error *error)
{
    struct tile_map *map = state->own;
    return map->keeper ? map->keeper->join(map, places, count, nodes, error)
                       : error_set(error, ENGINE_STATUS_USAGE,
                                   "the grid lies in a tree that is too large for tiles; take an implementation that "
                                   "keeps a tree");
}

void tile_strips_begin(const struct state *state)
{
    struct tile_map *map = state->own;
    tile_map_clear(map);
    if (map->keeper)
        map->keeper->forget(map);
}

struct tile_strip tile_strip_of(const struct state *state, uint32_t field, int64_t (*places)[3], uint64_t count)
{
    struct tile_map *map = state->own;
    struct tile_strip strip = {.map = map, .field = field, .shape = map->tiling->geometry[field].shape};
    memcpy(strip.side, map->tiling->side, sizeof strip.side);
    strip.shape.extent[strip.shape.rank - 1] *= count;
    strip.places = places;
    strip.count = count;
    return strip;
}

struct engine_shape tile_places_shape(uint64_t count)
{
    return (struct engine_shape){
        .size = sizeof(struct engine_shape), .type = ENGINE_I64, .components = 3, .rank = 1, .extent = {count, 1, 1}};
}

struct engine_shape tile_nodes_shape(uint64_t count)
{
    return (struct engine_shape){
        .size = sizeof(struct engine_shape), .type = ENGINE_U32, .components = 5, .rank = 1, .extent = {count, 1, 1}};
}

bool tile_strip_fits(const struct state *state, uint32_t field, const struct engine_shape *held, uint64_t count,
                     struct tile_strip *strip)
{
    const struct engine_shape *shape = &state->plan->shapes[field];
    *strip = tile_strip_of(state, field, NULL, count);
    strip->shape = *held;
    if (held->type != shape->type || held->components != shape->components || held->rank != shape->rank ||
        held->extent[shape->rank - 1] % count != 0)
        return false;
    for (uint32_t axis = 0; axis < 3; axis++) {
        strip->side[axis] = held->extent[axis] / (axis + 1 == shape->rank ? count : 1);
        if (strip->side[axis] == 0 || strip->side[axis] > shape->extent[axis])
            return false;
    }
    return true;
}

/* Copies as many of `count` elements as a tile has out of the keeper of the grid, and returns how many. */
static uint64_t read_kept(const struct tile_strip *strip, uint64_t element, uint64_t count, void *out)
{
    const uint64_t cells = strip->side[0] * strip->side[1], begin = element % cells,
                   most = cells - begin < count ? cells - begin : count;
    strip->map->keeper->read(strip->map, strip->places[element / cells], begin, most, out);
    return most;
}

/* A piece of a row of a tile of a strip. */
struct strip_row {
    uint64_t tile, x, y, z, count; /* x and count in elements */
};

static struct strip_row row_at(const struct tile_strip *strip, uint64_t element, uint64_t most)
{
    const uint64_t width = strip->side[0] * strip->shape.components, rows = strip->side[1] * strip->side[2];
    const uint64_t row = element / width % rows, left = width - element % width;
    return (struct strip_row){element / (width * rows), element % width, row % strip->side[1], row / strip->side[1],
                              left < most ? left : most};
}

/* The cell of the grid at which the row begins. False: a tile lies outside. */
static bool find_cell(const struct tile_strip *strip, const struct strip_row *row, uint64_t cell[3])
{
    const struct plan *plan = strip->map->plan;
    const uint64_t within[3] = {0, row->y, row->z};
    for (int axis = 0; axis < 3; axis++) {
        cell[axis] = (uint64_t) strip->places[row->tile][axis] + plan_middle(plan, axis);
        if (cell[axis] > plan->shapes[strip->field].extent[axis] - strip->side[axis])
            return false;
        cell[axis] += within[axis];
    }
    return true;
}

/* The background: all cells of its tile are alike. */
static void move_background(const struct tile_strip *strip, const struct strip_row *row, void *out, const void *in)
{
    uint8_t *background = strip->map->background[strip->field];
    const uint64_t bytes = type_bytes(strip->shape.type), components = strip->shape.components;
    for (uint64_t i = 0; i < row->count; i++) {
        const uint64_t component = (row->x + i) % components;
        if (out)
            memcpy((char *) out + i * bytes, background + component * bytes, bytes);
        for (uint64_t x = component;
             !out && row->x + row->y + row->z < components && x < tile_map_width(strip->map, strip->field);
             x += components)
            memcpy(background + x * bytes, (const char *) in + i * bytes, bytes);
    }
}

static int move_row(const struct tile_strip *strip, const struct strip_row *row, void *out, const void *in,
                    struct engine_error *error)
{
    uint64_t cell[3];
    if (row->tile == 0) {
        move_background(strip, row, out, in);
        return 0;
    }
    if (!find_cell(strip, row, cell))
        return error_set(error, ENGINE_STATUS_INPUT, "a tile lies outside of the grid");
    const uint64_t x = cell[0] * strip->shape.components + row->x;
    if (out)
        tile_map_read_row(strip->map, strip->field, x, cell[1], cell[2], row->count, out);
    return out ? 0 : tile_map_write_row(strip->map, strip->field, x, cell[1], cell[2], row->count, in, error);
}

int tile_strip_move(void *self, uint64_t begin, uint64_t count, void *out, const void *in, struct engine_error *error)
{
    const struct tile_strip *strip = self;
    const uint64_t bytes = type_bytes(strip->shape.type);
    const struct tile_keeper *keeper = strip->map->keeper;
    for (uint64_t done = 0; done < count;) {
        const struct strip_row row = row_at(strip, begin + done, count - done);
        if (out && keeper && row.tile > 0) {
            done += read_kept(strip, begin + done, count - done, (char *) out + done * bytes);
            continue;
        }
        if (in && keeper && row.x + row.y == 0 && strip->map->count >= MOST_TILES &&
            keeper->take(strip->map, error) != 0)
            return error->status;
        if (move_row(strip, &row, out ? (char *) out + done * bytes : NULL,
                     in ? (const char *) in + done * bytes : NULL, error) != 0)
            return error->status;
        done += row.count;
    }
    return 0;
}
