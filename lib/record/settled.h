/* Has an unbounded grid settled: is everything but departing spaceships periodic?
 *
 * Two states of a run are compared, `period` steps apart. The live cells of the first are cut into clusters, which are so
 * far from each other that none can disturb another one within the period. The grid has settled if each cluster is there
 * again, at its place or elsewhere, and if those that move stay as far from all others for ever. No rule need be known.
 *
 * Cells are compared by hashes (objects/place_hash.h). */
#ifndef LIB_RECORD_SETTLED_H
#define LIB_RECORD_SETTLED_H

#include "tiles/tile_cells.h"

struct settled;

/* Compares two states. `reach` is how far a cell can act in the period. *settled is NULL if the grid has not settled with
 * this period. ENGINE_STATUS_DEVICE: no memory. */
int settled_compare(const struct live_cells *now, const struct live_cells *later, uint32_t rank, uint64_t reach,
                    uint64_t period, struct settled **settled, struct engine_error *error);
void settled_close(struct settled *settled);

/* Takes the state so many steps after the first one, for all numbers below the period. */
void settled_take(struct settled *settled, uint64_t phase, const struct live_cells *cells);

/* After settled_take of all phases: the hash that the state so many steps before the first one had if the grid had
 * settled there. */
uint64_t settled_before(const struct settled *settled, uint64_t steps);

/* Such a hash of a state. */
uint64_t settled_hash(const struct live_cells *cells);

/* The period of what stays; if nothing stays, that of the spaceships. */
uint64_t settled_period(const struct settled *settled);

bool settled_has_spaceships(const struct settled *settled);

#endif
