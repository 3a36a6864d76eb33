/* HashLife of cells that are bytes, on grids without edges. A plugin links $(HASHLIFE_BYTES) of
 * mk/plugins.mk, and gives the rule. */
#ifndef HASHLIFE_BYTES_H
#define HASHLIFE_BYTES_H

#ifndef HASHLIFE_BYTES
#define HASHLIFE_BYTES
#endif
#include "hashlife.h"

enum { HASHLIFE_SIDE = 8 }; /* cells of a square of four leaves along an axis */

struct hashlife_bytes {
    /* Computes the next states of the cells of a square, row by row, that are not at its edges. */
    void (*step)(const void *rule, const uint8_t *cells, uint8_t *next);
    void *rule;
};

/* The probe: the grid is unbounded. */
int hashlife_bytes_probe(const struct engine_host *host, const struct engine_plan *plan);

/* The advance of the implementation, which the engine does not call for such a grid. */
int hashlife_bytes_advance(void *self, struct engine_call *call);

/* Makes an instance. `bytes` is that of engine_tree.open. It uses `rule` until it is closed. NULL: there is no memory. */
struct hashlife *hashlife_bytes_new(const struct engine_call *call, uint64_t bytes, struct hashlife_bytes *rule,
                                    const struct hashlife_kernel *kernel);

/* A kernel's function `advance`. */
void hashlife_bytes_middle(void *rule, const struct store_leaf *const quarters[4], const store_walls walls[4],
                           unsigned steps, struct store_leaf *middle);

uint32_t hashlife_bytes_block(void *self, const void *cells);
void hashlife_bytes_cells(void *self, uint32_t block, void *cells);

/* The members of struct engine_tree but `open` and `close`. */
#define HASHLIFE_BYTES_TREE HASHLIFE_TREE, .cell_bits = 8, .block = hashlife_bytes_block, .cells = hashlife_bytes_cells

#endif
