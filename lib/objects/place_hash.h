/* A hash of cells that follows them when they move: a sum of a number for each live cell, modulo 2^61 - 1. If all cells
 * move by (x, y, z), the hash is multiplied by a number. Hashes of parts that share no cell add up to that of the whole. */
#ifndef OBJECTS_PLACE_HASH_H
#define OBJECTS_PLACE_HASH_H

#include <stdint.h>

#define PLACE_PRIME (((uint64_t) 1 << 61) - 1)

static inline uint64_t place_add(uint64_t a, uint64_t b)
{
    const uint64_t sum = a + b;
    return sum >= PLACE_PRIME ? sum - PLACE_PRIME : sum;
}

uint64_t place_multiply(uint64_t a, uint64_t b);

/* The factor of a move. Distances may be negative. */
uint64_t place_factor(int64_t x, int64_t y, int64_t z);

/* The hash so many steps ago of what has these hashes in each phase of its period, from the present one on, and moves so
 * far in a period. */
uint64_t place_past(const uint64_t *phases, uint64_t period, const int64_t move[3], uint64_t steps);

/* The number of a state, which is not 0. */
uint64_t place_state(uint32_t state);

#endif
