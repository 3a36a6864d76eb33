/* The tiles of a state, in host memory. */
#ifndef LIB_TILES_TILE_MAP_H
#define LIB_TILES_TILE_MAP_H

#include "run/state.h"
#include "tiles/block_sum.h"
#include "tiles/tiling.h"

#include <pthread.h>
#include <stdatomic.h>

struct tile {
    uint64_t at[3]; /* its place among the tiles, along x, y and z */
    void *memory[PLAN_FIELDS_MAX][2];
    uint64_t low[3],
        high[3];         /* a box, in cells of the tile, that has all cells other than the background; high = 0: none */
    uint32_t current;    /* which of the two memories holds the state; the other one is that of the next round */
    bool written;        /* by others than the stepper, so the box is not known */
    bool changed;        /* by the last round, or written since */
    bool lacks;          /* the tile beside some edge or corner */
    _Atomic bool active; /* the present round computes it; threads mark tiles */
    bool measured;       /* `values` are those of the state */
    bool summed;         /* `sums` are those of the state */
    double *values;      /* the metrics of the plugin */
    struct block_sum sums[PLAN_FIELDS_MAX]; /* for the hash, of the blocks as if the tile lay at cell 0 */
    struct tile *next;                      /* the next tile in the same slot of the table */
};

struct tile_map;
struct live_cells;

/* Squares of a tree whose blocks are the tiles of a strip: level, and the quarters north-west, north-east, south-west and
 * south-east. A square of two by two blocks has the numbers of tiles, and a larger one those of squares before it. The
 * last one is the root, around the middle of the grid. Then the places of the tiles mean nothing. */
struct tile_nodes {
    uint32_t (*at)[5]; /* NULL: the places of the tiles are those in the grid */
    uint64_t count;
};

/* Whoever keeps the grid elsewhere, such as a tree (lib/tree). Its map has tiles only for a while: cells that were
 * written. */
struct tile_keeper {
    /* As tile_places_make, and the cells [begin, begin + count) of a tile. */
    int (*places)(struct tile_map *map, int64_t (**places)[3], uint64_t *count, struct tile_nodes *nodes,
                  struct engine_error *error);
    void (*read)(const struct tile_map *map, const int64_t place[3], uint64_t begin, uint64_t count, uint8_t *out);

    void (*forget)(struct tile_map *map);                          /* everything: others write all tiles anew */
    int (*take)(struct tile_map *map, struct engine_error *error); /* the tiles that were written */

    /* Makes the grid from the tiles that were written, at these places, and from squares. */
    int (*join)(struct tile_map *map, int64_t (*places)[3], uint64_t count, const struct tile_nodes *nodes,
                struct engine_error *error);
    int (*bounds)(struct tile_map *map, uint64_t begin[3], uint64_t end[3], struct engine_error *error);
    int (*seek)(struct tile_map *map, const struct region *region, uint64_t cell[3], struct engine_error *error);
    int (*list)(struct tile_map *map, uint64_t most, struct live_cells *cells, struct engine_error *error);
};

struct tile_map {
    const struct tile_keeper *keeper; /* NULL: the tiles are the grid */
    void *kept;                       /* by the keeper */
    const struct plan *plan;
    const struct tiling *tiling;
    uint64_t tiles[3];                    /* the number of possible tiles along each axis; few of them exist */
    uint8_t *background[PLAN_FIELDS_MAX]; /* a row of background, as long as a row of a tile */
    struct tile **list;                   /* all tiles; in the order of their places after tile_map_sort */
    uint64_t count, room, most;           /* most: as many as may be, for tiling->memory */
    struct tile **table;                  /* of 2^bits places, by tile_map_place */
    uint32_t bits;
    bool sorted;
    pthread_mutex_t lock; /* threads write different elements at the same time */
};

int tile_map_open(const struct plan *plan, struct tile_map **map, struct engine_error *error);
void tile_map_close(struct tile_map *map);

/* Removes all tiles. */
void tile_map_clear(struct tile_map *map);

/* Copies the tiles of `from` to `to`, in place of its own. Both maps have tiles of the same sides. ENGINE_STATUS_USAGE,
 * ENGINE_STATUS_DEVICE. */
int tile_map_copy(struct tile_map *to, const struct tile_map *from, struct engine_error *error);

/* tile_map_find returns the tile at a place, or NULL if all its cells are background. tile_map_make creates the tile if it
 * is missing, and returns NULL if there is no memory. */
struct tile *tile_map_find(const struct tile_map *map, const uint64_t at[3]);
struct tile *tile_map_make(struct tile_map *map, const uint64_t at[3], struct engine_error *error);

/* Sorts the tiles by z, then by y, then by x. tile_map_from returns the first of them from a place on, or NULL. */
void tile_map_sort(struct tile_map *map);
const struct tile *tile_map_from(const struct tile_map *map, const uint64_t at[3]);

/* Removes the tiles for which `goes` is true. */
void tile_map_remove(struct tile_map *map, bool (*goes)(const struct tile *tile));

/* Copies `count` elements of row y of plane z, from element x on, to `out`. After its last element the row continues at
 * its first one. Coordinates count from 0. Several threads may read. */
void tile_map_read_row(const struct tile_map *map, uint32_t field, uint64_t x, uint64_t y, uint64_t z, uint64_t count,
                       void *out);

/* Copies elements from `in` into the row. Elements of the background create no tile. */
int tile_map_write_row(struct tile_map *map, uint32_t field, uint64_t x, uint64_t y, uint64_t z, uint64_t count,
                       const void *in, struct engine_error *error);

/* The elements of a row of a tile, and of the grid. */
uint64_t tile_map_width(const struct tile_map *map, uint32_t field);
uint64_t tile_map_grid_width(const struct tile_map *map, uint32_t field);

/* Widens a box to the cells of a row of a tile that are other than those of `none`, a row of background. */
void tile_map_widen(const struct tile_map *map, uint32_t field, const void *row, const void *none, uint64_t y,
                    uint64_t z, uint64_t low[3], uint64_t high[3]);

/* Finds the boxes of tiles that were written. ENGINE_STATUS_DEVICE: no memory. */
int tile_map_find_boxes(struct tile_map *map, struct engine_error *error);

#endif
