/* larger-than-life on the CPU in bit planes. A strip is as wide as a vector, 256 cells or, with AVX-512, 512. It starts
 * with the sums of the squares of the row above the first, and moves them down from row to row. The last cells of a
 * vector are undefined after the sums of planes.h, so strips overlap by as many words. */
#include "strips.h"

#include <string.h>

#ifdef __AVX512F__
typedef uint32_t vector __attribute__((vector_size(64)));
#define NEXT_WORDS 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 15
#else
typedef uint32_t vector __attribute__((vector_size(32)));
#define NEXT_WORDS 1, 2, 3, 4, 5, 6, 7, 7
#endif

static inline __attribute__((always_inline)) vector ahead(vector plane, int k)
{
    const vector next = __builtin_shufflevector(plane, plane, NEXT_WORDS);
    if (k < WORD)
        return plane >> k | next << (WORD - k);
    return k == WORD ? next : __builtin_shufflevector(next, next, NEXT_WORDS);
}

/* Where a and b differ, c decides. */
static inline __attribute__((always_inline)) vector majority(vector a, vector b, vector c)
{
    const vector differ = a ^ b;
    return (differ & c) | (~differ & a);
}

#include "planes.h"

/* Reads a vector of row y, from cell x on. */
PLANES vector cells_at(const struct march *march, int64_t x, int64_t y)
{
    const int shift = x & (WORD - 1);
    const uint32_t *word = march->cells + y * march->pitch + (x - shift) / WORD;
    vector words, next;
    memcpy(&words, word, sizeof words);
    memcpy(&next, word + 1, sizeof next);
    return shift ? words >> shift | next << (WORD - shift) : words;
}

/* Writes `count` words from `word` on in rows [begin, end). */
PLANES void take_strip(const struct march *march, int64_t word, size_t count, int64_t begin, int64_t end, int levels)
{
    const int64_t radius = march->rule.radius, x = word * WORD, left = x - radius;
    const uint32_t side = 2 * march->rule.radius + 1;
    vector columns[LEVELS_MAX + 2] = {{0}}, squares[BITS_MAX + 1];
    for (int64_t y = begin - radius - 1; y < begin + radius; y++) {
        const vector cells[] = {cells_at(march, left, y), {0}};
        add(columns, levels + 1, cells, 2);
    }
    add_side(squares, columns, levels + 2, levels, side);
    for (int64_t y = begin; y < end; y++) {
        move_down(squares, cells_at(march, left, y + radius), cells_at(march, left, y - radius - 1), levels, side);
        const vector next = next_cells(squares, cells_at(march, x, y), &march->rule, 2 * levels + 2);
        memcpy(march->result + y * march->pitch + word, &next, count * sizeof(uint32_t));
    }
}

PLANES void take_strips(const struct march *march, int64_t begin, int64_t end, int levels)
{
    const int64_t lost = (2 * march->rule.radius + WORD - 1) / WORD;
    const int64_t own = (int64_t) (sizeof(vector) / sizeof(uint32_t)) - lost, words = (march->width + WORD - 1) / WORD;
    for (int64_t word = 0; word < words; word += own)
        take_strip(march, word, (size_t) (own < words - word ? own : words - word), begin, end, levels);
}

/* The number of levels decides how many planes there are, so each number is compiled by itself. */
void TAKE_ROWS(const struct march *march, int64_t begin, int64_t end)
{
    switch (march->rule.levels) {
    case 1:
        take_strips(march, begin, end, 1);
        break;
    case 2:
        take_strips(march, begin, end, 2);
        break;
    case 3:
        take_strips(march, begin, end, 3);
        break;
    case 4:
        take_strips(march, begin, end, 4);
        break;
    case 5:
        take_strips(march, begin, end, 5);
        break;
    case 6:
        take_strips(march, begin, end, 6);
        break;
    }
}
