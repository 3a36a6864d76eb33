/* The cells of a grid in tiles that are not background, one by one. */
#ifndef LIB_TILES_TILE_CELLS_H
#define LIB_TILES_TILE_CELLS_H

#include "run/state.h"

struct live_cell {
    int64_t at[3]; /* from the middle of the grid */
    uint8_t value;
};

struct live_cells {
    struct live_cell *at;
    uint64_t count, room;
    uint8_t background;
};

/* Puts the live cells of a field of bytes in place of those of `cells`, which is {0} at first. The caller frees cells->at.
 * If there are more than `most`, cells->count is larger, too, and the list may be incomplete. ENGINE_STATUS_DEVICE: no memory. */
int tiles_list_cells(const struct state *state, uint32_t field, uint64_t most, struct live_cells *cells,
                     struct engine_error *error);

/* Adds those of `count` cells, from x y z on, that are not background. */
int live_cells_add(struct live_cells *cells, const int64_t first[3], const uint8_t *row, uint64_t count,
                   struct engine_error *error);

#endif
