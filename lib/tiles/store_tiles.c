#include "tiles/store_tiles.h"

#include <string.h>

static int open_tiles(struct state *state, struct engine_error *error)
{
    struct tile_map *map;
    const int status = tile_map_open(state->plan, &map, error);
    state->own = map;
    return status;
}

static void close_tiles(struct state *state)
{
    tile_map_close(state->own);
}

static int move(const struct state *state, uint64_t step, uint32_t field, uint64_t begin, uint64_t count, void *out,
                const void *in, struct engine_error *error)
{
    struct tile_map *map = state->own;
    const uint64_t width = tile_map_grid_width(map, field), height = state->plan->shapes[field].extent[1];
    const uint64_t bytes = type_bytes(state->plan->shapes[field].type);
    (void) step;
    for (uint64_t done = 0, n; done < count; done += n) {
        const uint64_t x = (begin + done) % width, row = (begin + done) / width, left = width - x;
        n = left < count - done ? left : count - done;
        if (out)
            tile_map_read_row(map, field, x, row % height, row / height, n, (char *) out + done * bytes);
        else if (tile_map_write_row(map, field, x, row % height, row / height, n, (const char *) in + done * bytes,
                                    error) != 0)
            return error->status;
    }
    return 0;
}

static int refuse(const struct state *state, uint32_t field, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_USAGE, "field %s lies in tiles, and not in one buffer",
                     state->plan->fields[field].about->name);
}

static int copy(const struct state *state, uint32_t field, void *out, const void *in, struct engine_error *error)
{
    (void) out, (void) in;
    return refuse(state, field, error);
}

static void drop(void *kept)
{
    tile_map_close(kept);
}

static int keep(const struct state *state, void **kept, struct engine_error *error)
{
    struct tile_map *map;
    int status = tile_map_open(state->plan, &map, error);
    if (status == 0)
        status = tile_map_copy(map, state->own, error);
    *kept = status == 0 ? map : NULL;
    if (status != 0)
        tile_map_close(map);
    return status;
}

static int back(struct state *state, const void *kept, struct engine_error *error)
{
    return tile_map_copy(state->own, kept, error);
}

static int view(const struct state *state, uint32_t field, struct engine_view *view, struct engine_error *error)
{
    (void) view;
    return refuse(state, field, error);
}

static int synchronise(const struct state *state, struct engine_error *error)
{
    (void) state, (void) error;
    return 0;
}

static int initialise(struct state *state, int (*make)(struct state *, struct engine_error *),
                      struct engine_error *error)
{
    tile_map_clear(state->own);
    return make(state, error);
}

int tiles_bounds(const struct state *state, uint64_t begin[3], uint64_t end[3], struct engine_error *error)
{
    struct tile_map *map = state->own;
    if (map->keeper)
        return map->keeper->bounds(map, begin, end, error);
    if (tile_map_find_boxes(map, error) != 0)
        return error->status;
    bool any = false;
    for (int axis = 0; axis < 3; axis++)
        begin[axis] = UINT64_MAX, end[axis] = 0;
    for (uint64_t i = 0; i < map->count; i++) {
        const struct tile *tile = map->list[i];
        if (tile->high[0] == 0)
            continue;
        any = true;
        for (int axis = 0; axis < 3; axis++) {
            const uint64_t at = tile->at[axis] * map->tiling->side[axis];
            begin[axis] = at + tile->low[axis] < begin[axis] ? at + tile->low[axis] : begin[axis];
            end[axis] = at + tile->high[axis] > end[axis] ? at + tile->high[axis] : end[axis];
        }
    }
    for (int axis = 0; axis < 3 && !any; axis++)
        begin[axis] = state->plan->shapes[0].extent[axis] / 2, end[axis] = begin[axis] + 1;
    return 0;
}

/* Moves to the next row of cells that has some to the right of its beginning. */
static void next_row(const struct tile_map *map, const struct region *region, const struct tile *tile, bool in_row,
                     uint64_t cell[3])
{
    const uint64_t *side = map->tiling->side;
    const bool whole_row = cell[0] == region->begin[0], whole_plane = whole_row && cell[1] == region->begin[1];
    cell[0] = region->begin[0];
    if (in_row || !whole_row)
        cell[1]++;
    else if (tile && tile->at[2] == cell[2] / side[2])
        cell[1] = tile->at[1] * side[1];
    else if (!whole_plane)
        cell[1] = region->end[1];
    else
        cell[2] = tile && tile->at[2] * side[2] < region->end[2] ? tile->at[2] * side[2] : region->end[2];
    if (cell[1] >= region->end[1]) {
        cell[1] = region->begin[1];
        cell[2]++;
    }
}

int tiles_seek(const struct state *state, const struct region *region, uint64_t cell[3], struct engine_error *error)
{
    struct tile_map *map = state->own;
    const uint64_t *side = map->tiling->side;
    if (map->keeper)
        return map->keeper->seek(map, region, cell, error);
    for (tile_map_sort(map); cell[2] < region->end[2];) {
        const uint64_t at[3] = {cell[0] / side[0], cell[1] / side[1], cell[2] / side[2]};
        const struct tile *tile = tile_map_from(map, at);
        const bool in_row = tile && tile->at[1] == at[1] && tile->at[2] == at[2];
        const uint64_t x = in_row ? tile->at[0] * side[0] : region->end[0];
        if (x < region->end[0]) {
            cell[0] = x > cell[0] ? x : cell[0];
            return 0;
        }
        next_row(map, region, tile, in_row, cell);
    }
    return 0;
}

const struct store store_tiles = {
    .open = open_tiles,
    .close = close_tiles,
    .move = move,
    .copy = copy,
    .keep = keep,
    .back = back,
    .drop = drop,
    .rows = tiles_make_rows,
    .hash = tiles_hash,
    .view = view,
    .synchronise = synchronise,
    .initialise = initialise,
};
