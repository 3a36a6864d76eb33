/* The store and the stepper of a grid in tiles. */
#ifndef LIB_TILES_STORE_TILES_H
#define LIB_TILES_STORE_TILES_H

#include "run/stepper.h"
#include "tiles/section_tiles.h"
#include "tiles/tile_map.h"

extern const struct store store_tiles;

int stepper_tiles_open(struct state *state, struct stepper **stepper, struct engine_error *error);

/* The tiles of a state; NULL: it has none. */
static inline struct tile_map *state_tiles(const struct state *state)
{
    return state->plan->tiling ? state->own : NULL;
}

/* Finds the least box of the grid that has all cells other than the background: cells [begin, end) along each axis. If
 * there are none, it is the cell in the middle. ENGINE_STATUS_DEVICE: no memory. */
int tiles_bounds(const struct state *state, uint64_t begin[3], uint64_t end[3], struct engine_error *error);

/* Moves from a cell of a region of an unbounded grid, in reading order, to the first one in a tile. If there is none,
 * cell[2] becomes region->end[2]. ENGINE_STATUS_DEVICE: no memory. */
int tiles_seek(const struct state *state, const struct region *region, uint64_t cell[3], struct engine_error *error);

/* tile_rows.c: the function `rows` of store_tiles. A block of a region is computed from the tiles in it. */
int tiles_make_rows(const struct state *state, uint32_t field, const struct region *region, uint64_t row, uint64_t rows,
                    void *out, struct engine_error *error);

/* tile_hash.c: the function `hash` of store_tiles. The hash of an unbounded grid covers the blocks that are not all
 * background, as docs/reference/unbounded.md says. The hash of another grid is that of its canonical array. */
int tiles_hash(const struct state *state, uint32_t roles, struct hash *chain, struct engine_error *error);

#endif
