#include "memory/devices.h"
#include "run/state_hash.h"
#include "tiles/store_tiles.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct hashing {
    const struct tile_map *map;
    uint64_t block[3]; /* cells of a block along each axis */
    _Atomic int failed;
};

/* Reads a block of a tile, from a cell on. Is it other than the background? */
static bool read_block(const struct hashing *hashing, const struct tile *tile, uint32_t field, const uint64_t cell[3],
                       uint8_t *to)
{
    const struct tile_map *map = hashing->map;
    const struct geometry *geometry = &map->tiling->geometry[field];
    const uint64_t width = hashing->block[0] * geometry->shape.components;
    const uint64_t bytes = width * type_bytes(geometry->shape.type);
    bool differs = false;
    for (uint64_t z = 0; z < hashing->block[2]; z++)
        for (uint64_t y = 0; y < hashing->block[1]; y++, to += bytes) {
            const uint64_t row = (cell[2] + z) * map->tiling->side[1] + cell[1] + y;
            geometry_read(geometry, tile->memory[field][tile->current],
                          row * tile_map_width(map, field) + cell[0] * geometry->shape.components, width, to);
            differs = differs || memcmp(to, map->background[field], bytes) != 0;
        }
    return differs;
}

/* The sum of a field of a tile that lies at place 0 0 0. */
static int sum_field(const struct hashing *hashing, struct tile *tile, uint32_t field)
{
    const struct engine_shape *shape = &hashing->map->tiling->geometry[field].shape;
    const uint64_t *side = hashing->map->tiling->side, *block = hashing->block;
    const uint64_t bytes = block[0] * block[1] * block[2] * shape->components * type_bytes(shape->type);
    uint8_t *cells = malloc(bytes);
    if (!cells)
        return ENGINE_STATUS_DEVICE;
    tile->sums[field] = (struct block_sum){{0, 0}};
    for (uint64_t z = 0; z < side[2]; z += block[2])
        for (uint64_t y = 0; y < side[1]; y += block[1])
            for (uint64_t x = 0; x < side[0]; x += block[0])
                if (read_block(hashing, tile, field, (uint64_t[]){x, y, z}, cells)) {
                    const int64_t at[3] = {(int64_t) (x / block[0]), (int64_t) (y / block[1]),
                                           (int64_t) (z / block[2])};
                    const struct block_sum sum = block_sum_of(cells, bytes);
                    block_sum_add(&tile->sums[field], &sum, at);
                }
    free(cells);
    return 0;
}

static void sum_tile(void *argument, uint64_t index)
{
    struct hashing *hashing = argument;
    struct tile *tile = hashing->map->list[index];
    for (uint32_t i = 0; !tile->summed && i < hashing->map->plan->plugin->about.fields.count; i++)
        if (sum_field(hashing, tile, i) != 0) {
            hashing->failed = 1;
            return;
        }
    tile->summed = true;
}

/* Adds the cell of the background of a field, and the sums of its tiles at their places. */
static void add_field(const struct hashing *hashing, uint32_t field, struct hash *chain)
{
    const struct tile_map *map = hashing->map;
    const struct engine_shape *shape = &map->tiling->geometry[field].shape;
    struct block_sum sum = {{0, 0}};
    for (uint64_t i = 0; i < map->count; i++) {
        const struct tile *tile = map->list[i];
        int64_t at[3];
        for (int axis = 0; axis < 3; axis++)
            at[axis] = ((int64_t) (tile->at[axis] * map->tiling->side[axis]) -
                        (int64_t) (map->plan->shapes[0].extent[axis] / 2)) /
                       (int64_t) hashing->block[axis];
        block_sum_add(&sum, &tile->sums[field], at);
    }
    hash_add(chain, map->background[field], shape->components * type_bytes(shape->type));
    hash_add(chain, sum.of, sizeof sum.of);
}

int tiles_hash(const struct state *state, uint32_t roles, struct hash *chain, struct engine_error *error)
{
    const struct plan *plan = state->plan;
    if (!plan_is_unbounded(plan))
        return state_hash_here(state, roles, chain, error);
    struct hashing hashing = {.map = state->own, .block = {1, 1, 1}};
    for (uint32_t axis = 0; axis < plan->shapes[0].rank; axis++)
        hashing.block[axis] = plan->open >> axis & 1 ? tiling_block(plan->shapes[0].rank) : plan->tiling->side[axis];
    thread_pool_run(devices_host(plan->context)->pool, plan->settings.threads, hashing.map->count, sum_tile, &hashing);
    if (hashing.failed)
        return error_set(error, ENGINE_STATUS_DEVICE, "there is no memory for the hash of the grid");
    for (uint32_t i = 0; roles & 1u << ENGINE_STATE && i < plan->plugin->about.fields.count; i++)
        add_field(&hashing, i, chain);
    return 0;
}
