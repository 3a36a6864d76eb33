/* Transposes of bit matrices, one in each word column of a block of vectors (Hacker's Delight, section 7-3).
 *
 * A matrix of 2^k x 2^k bits is transposed by exchanging its upper right and lower left quarters, and then transposing
 * all four quarters in the same way:
 *
 *     A B  ->  A C      level k - 1: rows n and n + 2^(k - 1) exchange halves of 2^(k - 1) bits
 *     C D      B D
 *
 * The block may have fewer rows, or fewer columns that matter, than 64: parts of no interest are not computed. */
#ifndef LIFE2D_CPU_KERNEL_TRANSPOSE_H
#define LIFE2D_CPU_KERNEL_TRANSPOSE_H

#include <life/cpu_vector.h>

/* In every group of 2^(level + 1) bits, exchanges the upper half of a with the lower half of b. */
INLINE void swap_halves(vec *a, vec *b, int level)
{
    static const uint64_t lower[6] = {0x5555555555555555, 0x3333333333333333, 0x0f0f0f0f0f0f0f0f,
                                      0x00ff00ff00ff00ff, 0x0000ffff0000ffff, 0x00000000ffffffff};
    vec mask = all_lanes(0) + lower[level];
    vec up = *b << (1u << level), down = *a >> (1u << level);
    *a = CHOOSE(mask, *a, up);
    *b = CHOOSE(mask, down, *b);
}

/* Does so for all pairs of vectors that are `distance` apart. */
INLINE void swap_level(vec *block, unsigned vectors, unsigned distance, int level)
{
    for (unsigned first = 0; first < vectors; first += 2 * distance)
        for (unsigned n = first; n < first + distance; n++)
            swap_halves(&block[n], &block[n + distance], level);
}

/* Transposes 8 x 8 squares: levels 0 to 2 at distances 1, 2 and 4, in registers. */
static void swap_low_levels(vec *block, unsigned vectors)
{
    for (vec *v = block; v < block + vectors; v += 8) {
        vec a = v[0], b = v[1], c = v[2], d = v[3], e = v[4], f = v[5], g = v[6], h = v[7];
        swap_halves(&a, &e, 2), swap_halves(&b, &f, 2), swap_halves(&c, &g, 2), swap_halves(&d, &h, 2);
        swap_halves(&a, &c, 1), swap_halves(&b, &d, 1), swap_halves(&e, &g, 1), swap_halves(&f, &h, 1);
        swap_halves(&a, &b, 0), swap_halves(&c, &d, 0), swap_halves(&e, &f, 0), swap_halves(&g, &h, 0);
        v[0] = a, v[1] = b, v[2] = c, v[3] = d, v[4] = e, v[5] = f, v[6] = g, v[7] = h;
    }
}

/* Turns the first `columns` columns of the first `rows` vectors into vectors. rows is 8, 16, 32 or 64. */
static void gather_columns(vec *block, unsigned rows, unsigned columns)
{
    if (rows > 32) {
        swap_level(block, rows, 32, 5);
        rows = columns <= 32 ? 32 : 64;
    }
    if (rows > 16) {
        swap_level(block, rows, 16, 4);
        rows = columns <= 16 ? 16 : rows;
    }
    if (rows > 8) {
        swap_level(block, rows, 8, 3);
        rows = columns <= 8 ? 8 : rows;
    }
    swap_low_levels(block, rows);
}

/* The inverse: turns the first `columns` vectors into the first columns of the first `rows` vectors. */
static void scatter_columns(vec *block, unsigned columns, unsigned rows)
{
    unsigned live = columns <= 8 ? 8 : columns <= 16 ? 16 : columns <= 32 ? 32 : 64;
    swap_low_levels(block, live);
    if (rows > 8)
        swap_level(block, live > 16 ? live : 16, 8, 3);
    if (rows > 16)
        swap_level(block, live > 32 ? live : 32, 16, 4);
    if (rows > 32)
        swap_level(block, 64, 32, 5);
}

#endif
