/* The contents of life2d-lut's tables, the same on the CPU and the GPU.
 *
 *     6x3    6 x 3 cells -> the 4 next cells inside         4x4    4 x 4 cells -> the 2 x 2 next cells inside
 *            . . . . . .                                         . . . .
 *            . x x x x .      2^18 entries                       . x x .      2^16 entries
 *            . . . . . .                                         . x x .
 *                                                                . . . .
 *     sums   n + 2 cells of a row -> n sums of three neighbours: 2^(n + 2) entries. The sums of three rows, added,
 *            count the live cells of each 3 x 3 square, 0 … 9. A second table gives the next state for each count.
 *
 * In every index and entry, cells are numbered from the left and then from the top: the first is the lowest bit. */
#ifndef LIFE2D_LUT_TABLES_H
#define LIFE2D_LUT_TABLES_H

#include <life/rule.h>
#include <stdint.h>

#ifdef __CUDACC__
#define LUT_BOTH static inline __host__ __device__
#else
#define LUT_BOTH static inline
#endif

enum { LUT_6X3_ENTRIES = 1 << 18, LUT_4X4_ENTRIES = 1 << 16 };

/* The live cells among the three from bit x on. */
LUT_BOTH uint32_t lut_three(uint32_t row, uint32_t x)
{
    return (row >> x & 1) + (row >> (x + 1) & 1) + (row >> (x + 2) & 1);
}

/* The next state of a cell, where `count` cells of its 3 x 3 square live, itself included. The rule counts
 * neighbours. */
static inline uint32_t lut_outcome(const struct life_rule *rule, uint32_t alive, uint32_t count)
{
    return alive ? rule->survive >> (count - 1) & 1 : rule->birth >> count & 1;
}

/* The three cells from bit x on as a row of a square, whose leftmost cell is the highest bit. */
static inline uint32_t lut_square_row(uint32_t row, uint32_t x)
{
    return (row >> x & 1) << 2 | (row >> (x + 1) & 1) << 1 | (row >> (x + 2) & 1);
}

/* The next state of cell x + 1 of the middle row of three. */
static inline uint32_t lut_next(const struct life_rule *rule, uint32_t above, uint32_t here, uint32_t below, uint32_t x)
{
    return life_rule_next(rule,
                          lut_square_row(above, x) << 6 | lut_square_row(here, x) << 3 | lut_square_row(below, x));
}

/* The entry for three rows of 6 cells: four cells in bits 0 … 3. */
static inline uint32_t lut_6x3(const struct life_rule *rule, uint32_t index)
{
    const uint32_t above = index & 63, here = index >> 6 & 63, below = index >> 12;
    uint32_t cells = 0;
    for (uint32_t x = 0; x < 4; x++)
        cells |= lut_next(rule, above, here, below, x) << x;
    return cells;
}

/* The entry for four rows of 4 cells. The upper two cells are bits 0 and 1, the lower two bits 4 and 5, so that an
 * entry and its right neighbour, shifted left by two, make a byte with four cells of each row. */
static inline uint32_t lut_4x4(const struct life_rule *rule, uint32_t index)
{
    uint32_t cells = 0;
    for (uint32_t y = 0; y < 2; y++) {
        const uint32_t above = index >> 4 * y & 15, here = index >> (4 * y + 4) & 15, below = index >> (4 * y + 8) & 15;
        for (uint32_t x = 0; x < 2; x++)
            cells |= lut_next(rule, above, here, below, x) << (4 * y + x);
    }
    return cells;
}

/* The entry for cells of a row: `count` sums of three cells, of `bits` bits each. */
LUT_BOTH uint32_t lut_sums(uint32_t index, uint32_t count, uint32_t bits)
{
    uint32_t sums = 0;
    for (uint32_t x = 0; x < count; x++)
        sums |= lut_three(index, x) << (x * bits);
    return sums;
}

#endif
