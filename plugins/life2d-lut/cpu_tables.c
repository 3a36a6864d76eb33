/* Tables in memory, on any processor.
 *
 *   6x3   256 KB, in the second-level cache. For each four cells, six cells are cut out of each of three rows.
 *   4x4   64 KB, mostly in the first-level cache. Rows are combined in pairs, with four cells of each row in a byte.
 *         A byte of the pair above and one of the pair below make an index. A pair serves two rows of squares. */
#include "cpu.h"

/* ---- 6x3 ---------------------------------------------------------------------------------------------------- */

static uint64_t workspace_6x3(uint64_t width)
{
    return 3 * lut_ghost_row_words(width) * 8;
}

/* Cells 32 i - 8 … 32 i + 55 of a row with ghosts. */
static uint64_t around(const uint64_t *row, uint64_t i)
{
    uint64_t cells;
    memcpy(&cells, (const uint8_t *) row + 4 * (int64_t) i - 1, sizeof cells);
    return cells;
}

/* The next four, eight and 32 cells, from cell x of three words that `around` returned. */
static uint32_t next_four(const uint8_t *table, uint64_t above, uint64_t here, uint64_t below, uint32_t x)
{
    const uint32_t left = x + 7; /* the bit of cell x - 1 */
    return table[(above >> left & 63) | (here >> left & 63) << 6 | (below >> left & 63) << 12];
}

static uint32_t next_eight(const uint8_t *table, uint64_t above, uint64_t here, uint64_t below, uint32_t x)
{
    return next_four(table, above, here, below, x) | next_four(table, above, here, below, x + 4) << 4;
}

static uint32_t next_32(const uint8_t *table, uint64_t above, uint64_t here, uint64_t below)
{
    return next_eight(table, above, here, below, 0) | next_eight(table, above, here, below, 8) << 8 |
           next_eight(table, above, here, below, 16) << 16 | next_eight(table, above, here, below, 24) << 24;
}

static void step_6x3(const struct lut_band *band)
{
    const uint64_t row = lut_ghost_row_words(band->width);
    uint64_t *above = (uint64_t *) band->workspace + 1, *here = above + row, *below = here + row;
    lut_copy_row(band, (int64_t) band->begin - 1, above);
    lut_copy_row(band, (int64_t) band->begin, here);
    for (uint64_t y = band->begin; y < band->end; y++) {
        lut_copy_row(band, (int64_t) y + 1, below);
        uint32_t *result = (uint32_t *) (band->result + y * band->row_words);
        for (uint64_t i = 0; i < 2 * lut_words(band->width); i++)
            result[i] = next_32(band->table, around(above, i), around(here, i), around(below, i));
        uint64_t *free = above;
        above = here, here = below, below = free;
    }
}

const struct lut_method lut_method_6x3 = {.name = "6x3",
                                          .entries = LUT_6X3_ENTRIES,
                                          .entry = lut_6x3,
                                          .workspace_bytes = workspace_6x3,
                                          .step = step_6x3,
                                          .cells_per_lookup = 4};

/* ---- 4x4 ---------------------------------------------------------------------------------------------------- */

/* 64 cells of two rows as halves of 4 x 4 squares: byte c of half[i] has four cells of the upper row in the low nibble,
 * and four of the lower row in the high nibble, from cell 8 c + 2 i - 1 on. */
struct pair {
    uint64_t half[4];
};

static uint64_t workspace_4x4(uint64_t width)
{
    return 2 * lut_ghost_row_words(width) * 8 + 2 * lut_words(width) * sizeof(struct pair);
}

static const uint64_t low_nibbles = UINT64_C(0x0f0f0f0f0f0f0f0f);

/* Bytes of two nibbles: the low nibbles of a, and above them the low nibbles of b. */
static uint64_t nibbles(uint64_t a, uint64_t b)
{
    return (a & low_nibbles) | (b & low_nibbles) << 4;
}

/* Combines rows y and y + 1 into pairs. */
static void make_pairs(const struct lut_band *band, int64_t y, struct pair *pairs)
{
    uint64_t *upper = (uint64_t *) band->workspace + 1, *lower = upper + lut_ghost_row_words(band->width);
    lut_copy_row(band, y, upper);
    lut_copy_row(band, y + 1, lower);
    for (int64_t i = 0; i < (int64_t) lut_words(band->width); i++) {
        const uint64_t upper_left = upper[i] << 1 | upper[i - 1] >> 63,
                       upper_right = upper[i] >> 1 | upper[i + 1] << 63;
        const uint64_t lower_left = lower[i] << 1 | lower[i - 1] >> 63,
                       lower_right = lower[i] >> 1 | lower[i + 1] << 63;
        pairs[i] =
            (struct pair){{nibbles(upper_left, lower_left), nibbles(upper_right, lower_right),
                           nibbles(upper_left >> 4, lower_left >> 4), nibbles(upper_right >> 4, lower_right >> 4)}};
    }
}

typedef uint8_t bytes8 __attribute__((vector_size(8)));
typedef uint8_t bytes16 __attribute__((vector_size(16)));

/* Entries side by side. The loads do not depend on each other, so that they overlap. */
static uint32_t two(const uint8_t *table, const uint16_t *index)
{
    return table[index[0]] | (uint32_t) table[index[1]] << 8;
}

static uint32_t four(const uint8_t *table, const uint16_t *index)
{
    return two(table, index) | two(table, index + 2) << 16;
}

/* Looks up eight squares, an entry a byte. */
static uint64_t look_up(const uint8_t *table, uint64_t above, uint64_t below)
{
    const bytes8 a = (bytes8) above, b = (bytes8) below;
    const bytes16 pairs = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15);
    uint16_t index[8];
    memcpy(index, &pairs, sizeof index);
    return four(table, index) | (uint64_t) four(table, index + 4) << 32;
}

/* Makes the next cells between two pairs: 64 of the upper row, and 64 of the lower one. */
static void next_rows(const uint8_t *table, const struct pair *above, const struct pair *below, uint64_t next[2])
{
    uint64_t pairs[4];
    for (int i = 0; i < 4; i++)
        pairs[i] = look_up(table, above->half[i], below->half[i]);
    /* Byte c of `even` has cells 8 c … 8 c + 3 of both rows, byte c of `odd` cells 8 c + 4 … 8 c + 7. */
    const uint64_t even = pairs[0] | pairs[1] << 2, odd = pairs[2] | pairs[3] << 2;
    next[0] = nibbles(even, odd);
    next[1] = nibbles(even >> 4, odd >> 4);
}

static void step_4x4(const struct lut_band *band)
{
    struct pair *above = (struct pair *) ((uint64_t *) band->workspace + 2 * lut_ghost_row_words(band->width));
    struct pair *below = above + lut_words(band->width);
    make_pairs(band, (int64_t) band->begin - 1, above);
    for (uint64_t y = band->begin; y < band->end; y += 2) {
        make_pairs(band, (int64_t) y + 1, below);
        uint64_t *result = band->result + y * band->row_words;
        for (uint64_t i = 0; i < lut_words(band->width); i++) {
            uint64_t next[2];
            next_rows(band->table, &above[i], &below[i], next);
            result[i] = next[0];
            if (y + 1 < band->end)
                result[i + band->row_words] = next[1];
        }
        struct pair *free = above;
        above = below, below = free;
    }
}

const struct lut_method lut_method_4x4 = {.name = "4x4",
                                          .entries = LUT_4X4_ENTRIES,
                                          .entry = lut_4x4,
                                          .workspace_bytes = workspace_4x4,
                                          .step = step_4x4,
                                          .cells_per_lookup = 4};
