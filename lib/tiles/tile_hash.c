#include "run/state_hash.h"
#include "tiles/store_tiles.h"

#include <stdlib.h>
#include <string.h>

/* A block of a tile: the place among the blocks of the grid, and the first cell. */
struct block {
    int64_t at[3]; /* from the middle of the grid */
    const struct tile *tile;
    uint64_t cell[3];
};

struct blocks {
    const struct tile_map *map;
    uint32_t field;
    uint64_t side[3]; /* cells of a block */
    struct block *list;
    uint64_t count, room;
    uint8_t *elements; /* of one block */
};

static uint64_t bytes_of(const struct blocks *blocks)
{
    const struct engine_shape *shape = &blocks->map->tiling->geometry[blocks->field].shape;
    return type_bytes(shape->type) * shape->components;
}

/* Reads a block. Is it other than the background? */
static bool read_block(const struct blocks *blocks, const struct block *block)
{
    const struct tile_map *map = blocks->map;
    const struct geometry *geometry = &map->tiling->geometry[blocks->field];
    const uint32_t components = geometry->shape.components;
    const uint64_t width = blocks->side[0] * components, bytes = blocks->side[0] * bytes_of(blocks);
    bool differs = false;
    uint8_t *to = blocks->elements;
    for (uint64_t z = 0; z < blocks->side[2]; z++)
        for (uint64_t y = 0; y < blocks->side[1]; y++, to += bytes) {
            const uint64_t row = (block->cell[2] + z) * map->tiling->side[1] + block->cell[1] + y;
            geometry_read(geometry, block->tile->memory[blocks->field][block->tile->current],
                          row * tile_map_width(map, blocks->field) + block->cell[0] * components, width, to);
            differs = differs || memcmp(to, map->background[blocks->field], bytes) != 0;
        }
    return differs;
}

static int add_block(struct blocks *blocks, const struct tile *tile, const uint64_t cell[3], struct engine_error *error)
{
    struct block block = {.tile = tile};
    if (blocks->count == blocks->room) {
        const uint64_t room = blocks->room ? 2 * blocks->room : 256;
        struct block *list = realloc(blocks->list, room * sizeof *list);
        if (!list)
            return error_memory(error, room * sizeof *list, "hashing");
        blocks->list = list;
        blocks->room = room;
    }
    for (int axis = 0; axis < 3; axis++) {
        const uint64_t first = tile->at[axis] * blocks->map->tiling->side[axis] + cell[axis];
        const uint64_t middle = blocks->map->plan->shapes[0].extent[axis] / 2 / blocks->side[axis];
        block.cell[axis] = cell[axis];
        block.at[axis] = (int64_t) (first / blocks->side[axis]) - (int64_t) middle;
    }
    if (read_block(blocks, &block))
        blocks->list[blocks->count++] = block;
    return 0;
}

static int add_tile(struct blocks *blocks, const struct tile *tile, struct engine_error *error)
{
    const uint64_t *side = blocks->map->tiling->side;
    for (uint64_t z = 0; z < side[2]; z += blocks->side[2])
        for (uint64_t y = 0; y < side[1]; y += blocks->side[1])
            for (uint64_t x = 0; x < side[0]; x += blocks->side[0])
                if (add_block(blocks, tile, (uint64_t[]){x, y, z}, error) != 0)
                    return error->status;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct block *first = a, *second = b;
    for (int axis = 2; axis >= 0; axis--)
        if (first->at[axis] != second->at[axis])
            return first->at[axis] < second->at[axis] ? -1 : 1;
    return 0;
}

static int hash_blocks(struct blocks *blocks, struct hash *chain, struct engine_error *error)
{
    const uint64_t bytes = blocks->side[0] * blocks->side[1] * blocks->side[2] * bytes_of(blocks);
    blocks->elements = malloc(bytes);
    if (!blocks->elements)
        return error_memory(error, bytes, "hashing");
    for (uint64_t i = 0; i < blocks->map->count; i++)
        if (add_tile(blocks, blocks->map->list[i], error) != 0)
            return error->status;
    if (blocks->count > 0)
        qsort(blocks->list, blocks->count, sizeof *blocks->list, compare);
    hash_add(chain, blocks->map->background[blocks->field], bytes_of(blocks));
    for (uint64_t i = 0; i < blocks->count; i++) {
        read_block(blocks, &blocks->list[i]);
        hash_add(chain, blocks->list[i].at, sizeof blocks->list[i].at);
        hash_add(chain, blocks->elements, bytes);
    }
    return 0;
}

static int hash_field(const struct tile_map *map, uint32_t field, struct hash *chain, struct engine_error *error)
{
    struct blocks blocks = {.map = map, .field = field, .side = {1, 1, 1}};
    for (uint32_t axis = 0; axis < map->plan->shapes[0].rank; axis++)
        blocks.side[axis] = tiling_block(map->plan->shapes[0].rank);
    const int status = hash_blocks(&blocks, chain, error);
    free(blocks.list);
    free(blocks.elements);
    return status;
}

int tiles_hash(const struct state *state, uint32_t roles, struct hash *chain, struct engine_error *error)
{
    if (!plan_is_unbounded(state->plan))
        return state_hash_here(state, roles, chain, error);
    for (uint32_t i = 0; roles & 1u << ENGINE_STATE && i < state->plan->plugin->about.fields.count; i++)
        if (hash_field(state->own, i, chain, error) != 0)
            return error->status;
    return 0;
}
