/* Batches of small grids in which an implementation computes tiles. */
#ifndef LIB_TILES_SMALL_GRIDS_H
#define LIB_TILES_SMALL_GRIDS_H

#include "run/stepper.h"
#include "tiles/tile_map.h"

/* Batches of small grids. All small grids have one size, with or without margins. The batches differ in their number of
 * small grids. */
struct small_grids {
    const struct tile_map *map;
    uint64_t margin[3];
    struct state *states[TILING_BATCHES];
    struct stepper *steppers[TILING_BATCHES];
    uint8_t *scratch; /* for each grid of the largest batch, the elements of its largest field */
    uint64_t each;    /* bytes of one of them */
};

int small_grids_open(struct small_grids *grids, const struct tile_map *map, const struct tiling_plans *plans,
                     const uint64_t margin[3], struct engine_error *error);
void small_grids_close(struct small_grids *grids);

/* Chooses the batch for the next of `count` tiles, and sets *taken to the number of tiles that it takes: the largest batch
 * that they fill. If a CPU computes all grids of a batch together, a small batch takes fewer, too. Its other grids then
 * hold what they held before, and are computed in vain. */
int small_grids_batch(const struct small_grids *grids, uint64_t count, uint64_t *taken);

/* Copies so many tiles with their margins into a batch, or background if `tiles` is NULL. */
int small_grids_fill(struct small_grids *grids, int batch, struct tile *const *tiles, uint64_t count, uint64_t step,
                     struct engine_error *error);

/* Takes steps. Errors leave the tiles as they are. */
int small_grids_advance(struct small_grids *grids, int batch, uint64_t steps, struct engine_error *error);

/* Copies a batch to the other memory of its tiles, without margins, and finds their boxes and whether they have
 * changed. `background` is that of the step of the batch. */
int small_grids_take(struct small_grids *grids, int batch, struct tile **tiles, uint64_t count,
                     uint8_t *const *background, struct engine_error *error);

#endif
