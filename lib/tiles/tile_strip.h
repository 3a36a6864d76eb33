/* The tiles of a state as arrays, for snapshots. A field becomes a strip of tiles, one behind the other along its last
 * axis. Another array has the places of their first cells. The first tile is not part of the grid: it is all
 * background. A strip of tiles of any side can be read. */
#ifndef LIB_TILES_TILE_STRIP_H
#define LIB_TILES_TILE_STRIP_H

#include "tiles/store_tiles.h"

#define TILE_PLACES "tile_places" /* the names of the arrays of places, and of squares */
#define TILE_NODES  "tile_nodes"

struct tile_strip {
    struct tile_map *map;
    uint32_t field;
    struct engine_shape shape; /* of the array */
    uint64_t side[3];          /* of its tiles */
    int64_t (*places)[3];      /* of the first cells, from the middle of an unbounded grid or from cell 0 of another */
    uint64_t count;            /* of tiles, with the first one */
};

/* Describes the tiles that a state has, in the order of their places, or the different blocks of a tree that is too large
 * for tiles. The caller frees `places` and nodes->at. They hold until the next step. ENGINE_STATUS_DEVICE: no memory. */
int tile_places_make(const struct state *state, int64_t (**places)[3], uint64_t *count, struct tile_nodes *nodes,
                     struct engine_error *error);

/* After the strips were read: makes the state from squares. ENGINE_STATUS_INPUT: they are no tree. ENGINE_STATUS_USAGE:
 * the state keeps tiles. */
int tile_nodes_join(const struct state *state, int64_t (*places)[3], uint64_t count, const struct tile_nodes *nodes,
                    struct engine_error *error);

/* Removes all tiles before strips are read. */
void tile_strips_begin(const struct state *state);

/* Return the strip of a field of a state that has `count` tiles, and the shapes of the arrays of places and of squares. */
struct tile_strip tile_strip_of(const struct state *state, uint32_t field, int64_t (*places)[3], uint64_t count);
struct engine_shape tile_places_shape(uint64_t count);
struct engine_shape tile_nodes_shape(uint64_t count);

/* Finds the sides of the tiles of a strip of that shape. False: a field of this state has no such strip. */
bool tile_strip_fits(const struct state *state, uint32_t field, const struct engine_shape *held, uint64_t count,
                     struct tile_strip *strip);

/* Copies elements [begin, begin + count) of a strip out of the tiles. If `out` is NULL, the function copies from `in` into
 * the tiles, and the caller passes the ranges in rising order. `self` is a struct tile_strip. ENGINE_STATUS_INPUT: a tile lies outside of the grid. */
int tile_strip_move(void *self, uint64_t begin, uint64_t count, void *out, const void *in, struct engine_error *error);

#endif
