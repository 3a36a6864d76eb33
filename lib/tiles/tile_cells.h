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
 * The grid has no keeper. ENGINE_STATUS_DEVICE: no memory. */
int tiles_list_cells(const struct state *state, uint32_t field, struct live_cells *cells, struct engine_error *error);

#endif
