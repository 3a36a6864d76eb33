/* Copies between tiles and small grids whose cells are bits in 64-bit words of host memory: word by word. */
#ifndef LIB_TILES_TILE_BITS_H
#define LIB_TILES_TILE_BITS_H

#include "tiles/tile_map.h"

/* A field of a batch of small grids, and one of the grids. */
struct tile_bits {
    const struct tile_map *map;
    const struct state *state; /* of the batch */
    const uint64_t *margin;
    uint32_t field;
    uint64_t index; /* of the small grid */
};

/* Do the cells of the field lie so in both? */
bool tile_bits_fit(const struct tile_bits *bits);

/* Copies a tile and the cells around it into the small grid. */
void tile_bits_gather(const struct tile_bits *bits, const struct tile *tile);

/* Copies the small grid without its margins to the other memory of the tile. Widens the box of the tile to the cells that
 * differ from `background`. Returns whether the tile has changed. */
bool tile_bits_scatter(const struct tile_bits *bits, struct tile *tile, uint8_t background);

#endif
