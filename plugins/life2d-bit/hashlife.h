/* The implementation `hashlife`: an instance, and the parts that it is made of. */
#ifndef LIFE2D_HASHLIFE_H
#define LIFE2D_HASHLIFE_H

#include "hashlife_kernel.h"
#include "hashlife_store.h"

/* The torus as a tree is a square of 2^level cells a side: as many copies of a narrower grid side by side as needed. */
enum { HASHLIFE_BLOCK_LEVEL = 6 }; /* the least: a square of 64 x 64 cells, whose rows are words */

struct hashlife {
    struct store store;
    const struct hashlife_kernel *kernel;
    void *rule;             /* the kernel's form of the rule */
    uint64_t width, height; /* of the grid; powers of two */
    unsigned level;         /* of the torus's tree */
    unsigned exponent;      /* the steps of results are at most 2^exponent now */
    uint32_t state;         /* the tree of what is in the buffer; 0: not known */
    uint64_t *alive;        /* for each block of the grid, row by row: the bitwise or of its rows, for hashlife_read */
};

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

/* The stack of entries that the store keeps: pushes `count` zeros, and pops them. */
static inline uint32_t *hashlife_push(struct hashlife *life, uint32_t count)
{
    uint32_t *frame = life->store.roots + life->store.root_count;
    for (uint32_t i = 0; i < count; i++)
        frame[i] = 0;
    life->store.root_count += count;
    return frame;
}

static inline void hashlife_pop(struct hashlife *life, uint32_t count)
{
    life->store.root_count -= count;
}

/* hashlife_step.c: the torus after `steps` steps, or 0 if there is no memory. */
uint32_t hashlife_step(struct hashlife *life, uint32_t torus, uint64_t steps);

/* hashlife_words.c: the torus of a grid, or 0 if there is no memory. */
uint32_t hashlife_read(struct hashlife *life, struct hashlife_rows rows);

/* hashlife_words.c: writes the squares of `torus` that are not those of `before`, which the grid holds. before = 0:
 * writes all. */
void hashlife_write(const struct hashlife *life, uint32_t before, uint32_t torus, struct hashlife_rows rows);

#endif
