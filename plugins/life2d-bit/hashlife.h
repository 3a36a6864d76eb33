/* The implementation `hashlife`, on what plugins share (hashlife/hashlife.h): grids that are arrays of words.
 *
 * The grid as a tree is a square of 2^level cells a side. Along an axis with the edges of a torus it holds as many copies
 * of a narrower grid side by side as needed; along an axis with dead edges, walls lie behind the grid. */
#ifndef LIFE2D_HASHLIFE_H
#define LIFE2D_HASHLIFE_H

#include "hashlife_kernel.h"

enum { HASHLIFE_BLOCK_LEVEL = 6 }; /* the least: a square of 64 x 64 cells, whose rows are words */

/* Rows of a grid: row y begins at words + y * stride. Cell x is bit x % 64 of word x / 64. */
struct hashlife_rows {
    uint64_t *words;
    int64_t stride;
};

/* The blocks of the grid along an axis of `cells` cells. */
static inline uint64_t hashlife_blocks(uint64_t cells)
{
    return ((cells - 1) >> HASHLIFE_BLOCK_LEVEL) + 1;
}

/* hashlife.c: an instance with the rule of a plan. `bytes`: the most memory of its nodes; 0: life2d-bit.memory. NULL:
 * there is no memory. */
struct hashlife *life2d_hashlife_new(const struct engine_call *call, uint64_t bytes);

/* hashlife_words.c: the node of a block with these rows of cells, and the walls of its leaves in the order of the nodes.
 * store_reserve has guaranteed its entries. */
uint32_t hashlife_block(struct hashlife *life, const uint64_t rows[64], const store_walls walls[16]);

/* hashlife_words.c: the tree of a grid, or 0 if there is no memory. */
uint32_t hashlife_read(struct hashlife *life, struct hashlife_rows rows);

/* hashlife_words.c: writes the squares of `tree` that are not those of `before`, which the grid holds. */
void hashlife_write(const struct hashlife *life, uint32_t before, uint32_t tree, struct hashlife_rows rows);

#endif
