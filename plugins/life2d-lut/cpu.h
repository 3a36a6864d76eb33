/* Declarations of life2d-lut on the CPU: copies of rows with ghosts, and one step of a band of rows for each table. */
#ifndef LIFE2D_LUT_CPU_H
#define LIFE2D_LUT_CPU_H

#include "life2dlut.h"
#include "tables.h"

#include <string.h>

/* Rows begin … end - 1 of one step, and memory for this band alone. Rows are 64-bit words; cell x is bit x % 64 of word
 * x / 64. */
struct lut_band {
    const uint64_t *source;
    uint64_t *result;
    uint64_t row_words; /* from one row to the next, in both buffers */
    uint64_t width, height, begin, end;
    int dead_x, dead_y; /* are the cells beyond the edges of an axis dead? Otherwise it is a torus */
    const uint8_t *table;
    void *workspace;
};

/* A table, and the step that uses it. */
struct lut_method {
    const char *name;
    uint64_t entries;                                                /* bytes of the table */
    uint32_t (*entry)(const struct life_rule *rule, uint32_t index); /* makes one entry, */
    void (*prepare)(const struct life_rule *rule, uint8_t *table);   /* or this function fills the whole table */
    uint64_t (*workspace_bytes)(uint64_t width);                     /* bytes of workspace of a band */
    void (*step)(const struct lut_band *band);
    double cells_per_lookup;
};

extern const struct lut_method lut_method_6x3, lut_method_4x4;

/* Sums of rows, and the rule, in vector registers. It needs a processor with vpermb (AVX-512 VBMI). */
extern const struct lut_method lut_method_sums;
int lut_sums_usable(void);

/* Words of a row of `width` cells. */
static inline uint64_t lut_words(uint64_t width)
{
    return (width + 63) / 64;
}

/* The words of a copy of a row with ghosts: one before the first, and nine after the last, which vectors may read. */
static inline uint64_t lut_ghost_row_words(uint64_t width)
{
    return lut_words(width) + 10;
}

/* Copies row y to `row`, with the ghosts -1 and `width`. Cell 0 is the lowest bit of row[0]. */
static inline void lut_copy_row(const struct lut_band *band, int64_t y, uint64_t *row)
{
    const int64_t height = (int64_t) band->height;
    const uint64_t wrapped = (uint64_t) (y < 0 ? y + height : y % height), last = band->width - 1;
    if (band->dead_y && (y < 0 || y >= height)) {
        memset(row - 1, 0, (lut_words(band->width) + 2) * sizeof *row);
        return;
    }
    memcpy(row, band->source + wrapped * band->row_words, lut_words(band->width) * sizeof *row);
    row[-1] = band->dead_x ? 0 : row[last / 64] >> last % 64 << 63;
    if (band->width % 64)
        row[band->width / 64] &= (UINT64_C(1) << band->width % 64) - 1;
    else
        row[band->width / 64] = 0;
    if (!band->dead_x)
        row[band->width / 64] |= (row[0] & 1) << band->width % 64;
}

#endif
