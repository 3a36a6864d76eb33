/* Batches of small grids in which an implementation computes tiles. */
#ifndef LIB_TILES_SMALL_GRIDS_H
#define LIB_TILES_SMALL_GRIDS_H

#include "run/stepper.h"
#include "tiles/tile_map.h"

/* Batches of small grids. All small grids have one size, with or without margins. The batches differ in their number of
 * small grids.
 *
 * If the implementation computes in the memory of a device, a batch crosses to it and back as one copy of its buffer, from
 * and to host memory that has the same layout. There are two such memories. So threads of the host copy the tiles of a
 * batch while the device computes the batch before. */
struct small_grids {
    struct tile_map *map;
    uint64_t margin[3];
    struct state *states[TILING_BATCHES];
    struct stepper *steppers[TILING_BATCHES];
    void *staging[2][PLAN_FIELDS_MAX]; /* as large as the largest batch; NULL: the batches are in host memory */
    uint8_t *rows;                     /* for each piece of a copy by threads, a row of a small grid */
    uint64_t row;                      /* bytes of one of them */
    struct tile_box *boxes;            /* for each piece, what it found */
};

int small_grids_open(struct small_grids *grids, struct tile_map *map, const struct tiling_plans *plans,
                     const uint64_t margin[3], struct engine_error *error);
void small_grids_close(struct small_grids *grids);

/* Chooses the batch for the next of `count` tiles, and sets *taken to the number of tiles that it takes: the largest batch
 * that they fill. If the implementation computes all grids of a batch together, a small batch takes fewer, too. Its other
 * grids then hold what they held before, and are computed in vain. */
int small_grids_batch(const struct small_grids *grids, uint64_t count, uint64_t *taken);

/* Copies so many tiles with their margins into a batch, or background if `tiles` is NULL. */
int small_grids_fill(struct small_grids *grids, int batch, struct tile *const *tiles, uint64_t count, uint64_t step,
                     struct engine_error *error);

/* Takes steps. Errors leave the tiles as they are. */
int small_grids_advance(struct small_grids *grids, int batch, uint64_t steps, struct engine_error *error);

/* Takes steps from step `step` on of so many tiles. The other memory of a tile gets the result, without margins. Finds the
 * boxes of the tiles and whether they have changed. `background` is that after the steps. */
int small_grids_compute(struct small_grids *grids, struct tile *const *tiles, uint64_t count, uint64_t step,
                        uint64_t steps, uint8_t *const *background, struct engine_error *error);

#endif
