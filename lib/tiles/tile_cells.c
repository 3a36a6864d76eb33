#include "tiles/tile_cells.h"
#include "tiles/store_tiles.h"

#include <stdlib.h>

/* Makes room for so many cells more. */
static int make_room(struct live_cells *cells, uint64_t count, struct engine_error *error)
{
    if (cells->room - cells->count >= count)
        return 0;
    const uint64_t room = 2 * cells->room + count;
    struct live_cell *at = realloc(cells->at, room * sizeof *at);
    if (!at)
        return error_memory(error, room * sizeof *at, "the live cells of the grid");
    cells->at = at;
    cells->room = room;
    return 0;
}

int live_cells_add(struct live_cells *cells, const int64_t first[3], const uint8_t *row, uint64_t count,
                   struct engine_error *error)
{
    if (make_room(cells, count, error) != 0)
        return error->status;
    for (uint64_t x = 0; x < count; x++)
        if (row[x] != cells->background)
            cells->at[cells->count++] = (struct live_cell){{first[0] + (int64_t) x, first[1], first[2]}, row[x]};
    return 0;
}

static int list_tile(const struct tile_map *map, uint32_t field, const struct tile *tile, uint8_t *row,
                     struct live_cells *cells, struct engine_error *error)
{
    const uint64_t *side = map->tiling->side, *extent = map->plan->shapes[field].extent;
    int64_t first[3] = {0};
    for (uint32_t axis = 0; axis < map->plan->shapes[field].rank; axis++)
        first[axis] = (int64_t) (tile->at[axis] * side[axis]) - (int64_t) (extent[axis] / 2);
    for (uint64_t i = tile->low[2] * side[1] + tile->low[1]; i <= (tile->high[2] - 1) * side[1] + tile->high[1] - 1;
         i++) {
        const int64_t at[3] = {first[0], first[1] + (int64_t) (i % side[1]), first[2] + (int64_t) (i / side[1])};
        geometry_read(&map->tiling->geometry[field], tile->memory[field][tile->current], i * side[0], side[0], row);
        if (live_cells_add(cells, at, row, side[0], error) != 0)
            return error->status;
    }
    return 0;
}

int tiles_list_cells(const struct state *state, uint32_t field, uint64_t most, struct live_cells *cells,
                     struct engine_error *error)
{
    struct tile_map *map = state_tiles(state);
    cells->count = 0;
    cells->background = map->background[field][0];
    if (map->keeper)
        return map->keeper->list(map, most, cells, error);
    uint8_t *row = malloc(map->tiling->side[0]);
    int status = row ? tile_map_find_boxes(map, error) : error_memory(error, map->tiling->side[0], "a row of a tile");
    for (uint64_t i = 0; status == 0 && i < map->count && cells->count <= most; i++)
        if (map->list[i]->high[0] > 0)
            status = list_tile(map, field, map->list[i], row, cells, error);
    free(row);
    return status;
}
