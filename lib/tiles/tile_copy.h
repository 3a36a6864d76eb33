/* Copies between tiles and small grids in host memory, row by row: words where both hold bits, else elements. */
#ifndef LIB_TILES_TILE_COPY_H
#define LIB_TILES_TILE_COPY_H

#include "tiles/tile_map.h"

/* A field of a batch of small grids in host memory, and one of the grids. */
struct tile_copy {
    const struct tile_map *map;
    const struct geometry *small; /* of the whole batch */
    void *cells;                  /* of the whole batch */
    const uint64_t *extent;       /* of a small grid */
    const uint64_t *margin;
    uint32_t field;
    uint64_t index; /* of the small grid */
    void *row;      /* room for a row of a small grid: tile_copy_room bytes, at a multiple of 8 */
};

struct tile_box {
    uint64_t low[3], high[3]; /* as in struct tile */
    bool changed;
};

uint64_t tile_copy_room(const struct tile_map *map, uint32_t field, const uint64_t extent[3]);

/* Copies rows [first, end) of the grid around a tile into the small grid; NULL: background alone. Rows are counted
 * through all planes. */
void tile_copy_in(const struct tile_copy *copy, const struct tile *tile, uint64_t first, uint64_t end);

/* Copies rows [first, end) of the tile out of the small grid to the other memory of the tile. Widens the box to the cells
 * that differ from `background`, a row of it, and sets `changed` if a row has changed. */
void tile_copy_out(const struct tile_copy *copy, const struct tile *tile, uint64_t first, uint64_t end,
                   const uint8_t *background, struct tile_box *box);

#endif
