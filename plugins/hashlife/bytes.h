/* HashLife of cells that are bytes, on grids without edges and on a torus. A plugin links $(HASHLIFE_BYTES) of
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

/* Functions of an implementation on a torus. Its create is `open` of engine_tree with 0 bytes, and destroy is `close`. */
int hashlife_bytes_probe(const struct engine_host *host, const struct engine_plan *plan);
int hashlife_bytes_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                          struct engine_layout *layout);
int hashlife_bytes_advance(void *self, struct engine_call *call);

/* A parameter of the plugin: the most memory of the nodes, without [run] memory. */
#define HASHLIFE_MEMORY_PARAM \
    { \
        ENGINE_INTEGER_PARAM("memory", "hashlife: the most memory for the nodes of its tree", "1024", 1, 1 << 17), \
            .unit = "MiB", .flags = ENGINE_PARAM_TUNING \
    }

/* A kernel's function `advance`. */
void hashlife_bytes_middle(void *rule, const struct store_leaf *const quarters[4], const store_walls walls[4],
                           unsigned steps, struct store_leaf *middle);

uint32_t hashlife_bytes_block(void *self, const void *cells);
void hashlife_bytes_cells(void *self, uint32_t block, void *cells);

/* The members of struct engine_tree but `open` and `close`. */
#define HASHLIFE_BYTES_TREE HASHLIFE_TREE, .cell_bits = 8, .block = hashlife_bytes_block, .cells = hashlife_bytes_cells

#endif
