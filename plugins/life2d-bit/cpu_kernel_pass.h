/*
 * One pass of one thread: its band of rows goes through several steps on the way from the grid to the grid.
 *
 * A ring of 2 * levels + block rows stays in the second-level cache. A block of rows enters at its end; then level 1 makes a
 * step on the last block + 2 rows, level 2 on the block + 2 rows that end two rows before those, and so on. A step on
 * rows n, n + 1, n + 2 leaves the new row n + 1 in place of row n, so that after the last level the first rows of the
 * ring are finished; they go back to the grid and the ring turns by a block. Rows beyond the band, `levels` on each
 * side, come from copies taken before any thread writes.
 */
#ifndef LIFE2D_CPU_KERNEL_PASS_H
#define LIFE2D_CPU_KERNEL_PASS_H

#include "cpu_kernel_level.h"
#include "cpu_kernel_stripe.h"

/* What a thread keeps during a call. */
struct band {
    const struct shape *shape;
    const struct rule *rule;
    step_level_fn *step_level;
    uint64_t *grid;
    uint64_t height;
    uint64_t first, rows; /* the rows of the grid that this thread writes */
    struct stripe_scratch scratch;
    uint64_t *halo;       /* copies of 2 * levels rows of the grid */
    struct ring ring;     /* 2 * levels + block rows */
    uint64_t block;       /* rows that enter at a time, an even number */
};

/* One pass: whether the grid holds linear bits before and after, or rows in striped order. */
struct pass {
    uint64_t levels;
    int from_linear, to_linear;
};

static uint64_t *grid_row(const struct band *b, uint64_t y)
{
    return b->grid + y * b->shape->row_words;
}

/* Copies the rows just outside the band. */
static void copy_halo(const struct band *b, const struct pass *p)
{
    uint64_t words = b->shape->full_words, T = p->levels, H = b->height;
    uint64_t above = b->first + H - T % H, below = b->first + b->rows;
    for (uint64_t i = 0; i < T; i++) {
        memcpy(b->halo + i * words, grid_row(b, (above + i) % H), words * sizeof(uint64_t));
        memcpy(b->halo + (T + i) * words, grid_row(b, (below + i) % H), words * sizeof(uint64_t));
    }
}

/* Row i of those the pass reads: the halo above, the band, the halo below. */
static const uint64_t *input_row(const struct band *b, const struct pass *p, uint64_t i)
{
    uint64_t words = b->shape->full_words;
    if (i < p->levels)
        return b->halo + i * words;
    if (i < p->levels + b->rows)
        return grid_row(b, b->first + i - p->levels);
    return b->halo + (i - b->rows) * words;
}

static void load_row(const struct band *b, const struct pass *p, vec *row, const uint64_t *cells)
{
    if (p->from_linear) {
        stripe_row(b->shape, &b->scratch, row, cells);
        return;
    }
    memcpy(row, cells, b->shape->columns * sizeof *row);
    close_row(row, b->shape);
}

static void store_row(const struct band *b, const struct pass *p, uint64_t *cells, const vec *row)
{
    if (p->to_linear)
        unstripe_row(b->shape, &b->scratch, cells, row);
    else
        memcpy(cells, row, b->shape->columns * sizeof *row);
}

/* The first row of a block at input row `start` that is right at `level`: at the ends of the input a step loses a row. */
static uint64_t first_right(uint64_t start, uint64_t level)
{
    return 2 * level > start ? 2 * level - start : 0;
}

/* The rows of the grid that the next block will load, some for each pair of rows stepped before. */
static struct fetch fetch_next_block(const struct band *b, const struct pass *p, uint64_t start)
{
    uint64_t from = start + b->block, to = from + b->block, last = p->levels + b->rows;
    struct fetch f = {0};
    if (from < p->levels || from >= last)
        return f;
    f.at = (const char *)grid_row(b, b->first + from - p->levels);
    f.end = (const char *)grid_row(b, b->first + (to < last ? to : last) - p->levels);
    f.bytes = (size_t)(f.end - f.at) / (p->levels * b->block / 2) + 64;
    return f;
}

/* Blocks begin at even rows, so that only the last may end with half a pair: the row after it is then of no account. */
static void step_block(const struct band *b, const struct pass *p, uint64_t start, uint64_t rows)
{
    struct fetch fetch = fetch_next_block(b, p, start);
    for (uint64_t level = 1; level <= p->levels; level++) {
        uint64_t n = 2 * (p->levels - level), first = first_right(start, level);
        if (first < rows)
            b->step_level(&b->ring, n + first, n + rows, &fetch, b->shape, b->rule);
    }
}

static void run_pass(struct band *b, const struct pass *p)
{
    uint64_t input = b->rows + 2 * p->levels;
    b->ring.rows = 2 * p->levels + b->block;
    b->ring.turn = 0;
    for (uint64_t start = 0; start < input; start += b->block) {
        uint64_t rows = input - start < b->block ? input - start : b->block;
        for (uint64_t k = 0; k < rows; k++)
            load_row(b, p, ring_row(&b->ring, 2 * p->levels + k), input_row(b, p, start + k));
        step_block(b, p, start, rows);
        for (uint64_t k = first_right(start, p->levels); k < rows; k++)
            store_row(b, p, grid_row(b, b->first + start + k - 2 * p->levels), ring_row(&b->ring, k));
        b->ring.turn = (b->ring.turn + b->block) % b->ring.rows;
    }
}

#endif
