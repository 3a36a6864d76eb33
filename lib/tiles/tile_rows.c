/* Rows of a region of a grid in tiles. A block may have very many cells, and few tiles. */
#include "base/convert.h"
#include "tiles/store_tiles.h"

#include <stdlib.h>
#include <string.h>

/* A result in the making: what the cells of its block in tiles say. */
struct sum {
    double cells, live, sum, most; /* most: of no cell if cells = 0 */
};

/* One row of a region. */
struct making {
    const struct tile_map *map;
    const struct region *region;
    uint32_t field;
    struct engine_shape made;
    uint64_t begin[2], end[2]; /* of the grid along y and z */
    struct sum *sums;          /* for each result of the row */
    double *background;        /* of each component */
    double *numbers;           /* a row of a tile */
    void *elements;
};

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint32_t components_of(const struct making *making)
{
    return making->made.components;
}

static void add(struct sum *sum, double number)
{
    sum->most = sum->cells > 0 ? REGION_LARGER(sum->most, number) : number;
    sum->live += number != 0;
    sum->sum += number;
    sum->cells++;
}

/* Adds the cells of a tile in row y of plane z of the tile. */
static void add_tile_row(const struct making *making, const struct tile *tile, uint64_t y, uint64_t z)
{
    const struct geometry *geometry = &making->map->tiling->geometry[making->field];
    const struct region *region = making->region;
    const uint64_t *side = making->map->tiling->side, first = tile->at[0] * side[0];
    const uint64_t width = tile_map_width(making->map, making->field);
    geometry_read(geometry, tile->memory[making->field][tile->current], (z * side[1] + y) * width, width,
                  making->elements);
    if (memcmp(making->elements, making->map->background[making->field], width * type_bytes(geometry->shape.type)) == 0)
        return; /* as if the tile were not there */
    convert_elements(geometry->shape.type, making->elements, width, ENGINE_F64, making->numbers);
    for (uint64_t x = larger(first, region->begin[0]); x < smaller(first + side[0], region->end[0]); x++)
        for (uint32_t c = 0; c < components_of(making); c++)
            add(&making->sums[(x - region->begin[0]) / region->block[0] * components_of(making) + c],
                making->numbers[(x - first) * components_of(making) + c]);
}

static void add_tile(const struct making *making, const struct tile *tile)
{
    const uint64_t *side = making->map->tiling->side, y = tile->at[1] * side[1], z = tile->at[2] * side[2];
    const uint64_t x = tile->at[0] * side[0];
    if (x >= making->region->end[0] || x + side[0] <= making->region->begin[0])
        return;
    for (uint64_t p = larger(z, making->begin[1]); p < smaller(z + side[2], making->end[1]); p++)
        for (uint64_t r = larger(y, making->begin[0]); r < smaller(y + side[1], making->end[0]); r++)
            add_tile_row(making, tile, r - y, p - z);
}

/* The result of a block of `cells` cells, of which those outside of tiles are background. */
static double finish(const struct sum *sum, double cells, double background, enum region_reduce reduce)
{
    const double rest = cells - sum->cells;
    switch (reduce) {
    case REGION_ANY:
        return sum->live > 0 || (rest > 0 && background != 0);
    case REGION_COUNT:
        return sum->live + (background != 0 ? rest : 0);
    case REGION_MEAN:
        return (sum->sum + (rest > 0 ? rest * background : 0)) / cells;
    default:
        return sum->cells == 0 ? background : rest > 0 ? REGION_LARGER(sum->most, background) : sum->most;
    }
}

/* Writes the results of a row. */
static void write_row(const struct making *making, void *out)
{
    const struct region *region = making->region;
    const uint64_t columns = making->made.extent[0];
    for (uint64_t column = 0; column < columns; column++) {
        const uint64_t x = region->begin[0] + column * region->block[0];
        const double width = (double) (smaller(x + region->block[0], region->end[0]) - x);
        const double cells =
            width * (double) (making->end[0] - making->begin[0]) * (double) (making->end[1] - making->begin[1]);
        for (uint32_t c = 0; c < components_of(making); c++) {
            const uint64_t i = column * components_of(making) + c;
            making->numbers[0] = finish(&making->sums[i], cells, making->background[c], region->reduce);
            convert_elements(ENGINE_F64, making->numbers, 1, making->made.type,
                             (char *) out + i * type_bytes(making->made.type));
        }
    }
}

/* The first cells of blocks, or single cells. */
static void read_cells(const struct making *making, void *out)
{
    const struct region *region = making->region;
    const uint64_t bytes = type_bytes(making->made.type) * components_of(making);
    const uint64_t run = region->block[0] == 1 ? making->made.extent[0] : 1;
    for (uint64_t column = 0; column < making->made.extent[0]; column += run)
        tile_map_read_row(making->map, making->field,
                          (region->begin[0] + column * region->block[0]) * components_of(making), making->begin[0],
                          making->begin[1], run * components_of(making), (char *) out + column * bytes);
}

static void make_row(struct making *making, uint64_t row, void *out)
{
    const struct region *region = making->region;
    const uint64_t at[2] = {row % making->made.extent[1], row / making->made.extent[1]};
    for (int i = 0; i < 2; i++) {
        making->begin[i] = region->begin[i + 1] + at[i] * region->block[i + 1];
        making->end[i] = smaller(making->begin[i] + region->block[i + 1], region->end[i + 1]);
    }
    if (region->reduce == REGION_FIRST || region_block_cells(region) == 1) {
        read_cells(making, out);
        return;
    }
    memset(making->sums, 0, making->made.extent[0] * components_of(making) * sizeof *making->sums);
    for (uint64_t i = 0; i < making->map->count; i++)
        add_tile(making, making->map->list[i]);
    write_row(making, out);
}

int tiles_make_rows(const struct state *state, uint32_t field, const struct region *region, uint64_t row, uint64_t rows,
                    void *out, struct engine_error *error)
{
    const struct engine_shape *shape = &state->plan->shapes[field];
    struct making making = {.map = state->own, .region = region, .field = field, .made = region_shape(region, shape)};
    const uint64_t width = tile_map_width(making.map, field);
    const uint64_t results = making.made.extent[0] * making.made.components;
    making.sums = malloc(results * sizeof *making.sums);
    making.background = malloc(width * sizeof *making.background);
    making.numbers = malloc(width * sizeof *making.numbers);
    making.elements = malloc(width * type_bytes(shape->type));
    const bool made = making.sums && making.background && making.numbers && making.elements;
    if (made)
        convert_elements(shape->type, making.map->background[field], width, ENGINE_F64, making.background);
    for (uint64_t i = 0; made && i < rows; i++)
        make_row(&making, row + i, (char *) out + i * results * type_bytes(making.made.type));
    free(making.sums);
    free(making.background);
    free(making.numbers);
    free(making.elements);
    return made ? 0 : error_memory(error, results * sizeof *making.sums, "a region of a field");
}
