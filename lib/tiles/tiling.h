/* Grids in tiles: [grid] edges = unbounded, or [tiles] side. Such a grid has memory only where a cell differs from the
 * background. Every grid in tiles is a torus. An unbounded grid is so large a torus that few patterns come round.
 *
 * The tiles lie in host memory, one bit for a cell of two values (tiles/tile_map.h). A round takes a few steps: the
 * stepper (tiles/stepper_tiles.c) copies tiles, each with a margin of the cells around it, into a batch of small grids,
 * lets the implementation take the steps there, and copies the tiles back without their margins. Wrong cells arise at
 * the seams of the small grids. They do not cross the margins within a round. So any implementation that states
 * ENGINE_UNIFORM computes tiles, on any device. The sides of tiles and the steps of a round depend on the implementation,
 * and the results do not.
 *
 * The plan of the run has no buffers. It has the plans of these batches instead. */
#ifndef LIB_TILES_TILING_H
#define LIB_TILES_TILING_H

#include "plan/divider.h"

enum { TILING_BATCHES = 5 };

struct engine_tree;

/* The plans of the batches, the largest first. `counts` of struct tiling says how many small grids each has. */
struct tiling_plans {
    struct plan *of[TILING_BATCHES];
};

struct tiling {
    uint64_t side[3];                          /* cells of a tile along each axis; 1 where the grid has no axis */
    uint64_t margin[3];                        /* cells on each side of a tile */
    uint64_t steps;                            /* the most that a round takes */
    uint64_t memory;                           /* the most bytes of all tiles, or of the tree; 0: its plugin chooses */
    struct geometry geometry[PLAN_FIELDS_MAX]; /* of the cells of a tile in host memory */
    int batches;                               /* the last one has one small grid */
    uint64_t counts[TILING_BATCHES];           /* of small grids in a batch */
    struct tiling_plans padded, bare;          /* of tiles with their margins, and without */
    const struct engine_tree *tree; /* of an implementation that keeps the grid as a tree, without plans; or NULL */
};

/* The geometry of the cells of a tile in host memory, whose sides are known. */
int tiling_make_geometry(const struct plan *plan, uint32_t index, struct geometry *geometry,
                         struct engine_error *error);

/* The cells of a block of the hash along each axis of a grid of so many axes. */
static inline uint64_t tiling_block(uint32_t rank)
{
    return rank == 1 ? 4096 : rank == 2 ? 64 : 16;
}

/* The tiles of libengine: base/modules.h. */
extern const struct divider tiles_divider;

#endif
