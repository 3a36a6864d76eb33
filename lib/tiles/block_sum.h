/* The sums over blocks of which the hash of an unbounded grid is made (docs/reference/unbounded.md): two numbers modulo
 * 2^61 - 1. The sums of parts of a grid are added in any order. The sum of a part that lies elsewhere is multiplied by
 * powers of constants, so a tree computes the sum of a node from those of its children. This header includes nothing of
 * the engine. */
#ifndef LIB_TILES_BLOCK_SUM_H
#define LIB_TILES_BLOCK_SUM_H

#include <stdint.h>

struct block_sum {
    uint64_t of[2];
};

/* Returns the sum of one block at place 0 0 0. The block is not all background. */
struct block_sum block_sum_of(const void *cells, uint64_t bytes);

/* Adds the sum of other blocks, moved by so many blocks along x, y and z. */
void block_sum_add(struct block_sum *sum, const struct block_sum *other, const int64_t blocks[3]);

#endif
