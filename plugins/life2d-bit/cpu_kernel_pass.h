/* One pass of one band of rows: several steps on the way from the grid back to the grid.
 *
 * A ring of 2 * levels + block rows stays in the second-level cache. A block of rows enters at its end. Then level 1
 * takes a step on the last block + 2 rows, level 2 on the block + 2 rows that end two rows before those, and so on. A
 * step on rows n, n + 1, n + 2 leaves the new row n + 1 in place of row n. For two levels and a block of four rows:
 *
 *     ring          0   1   2   3   4   5   6   7
 *     loaded                        r   r   r   r        the block enters: rows r at step 0
 *     level 1               .   .   .   .                makes rows 2 … 5 from rows 2 … 7
 *     level 2       *   *   *   *                        makes rows 0 … 3 from rows 0 … 5: finished
 *
 * The finished rows go back to the grid, and the ring rotates by a block. Rows beyond the band, `levels` on each side,
 * come from copies that are taken before any band is written. Rows beyond a dead edge are 0, and each level clears them
 * again, because it may have cells born there. The band has `groups` parts of `rows` rows each, one
 * below the other. Striped row j consists of row j of each part. Between passes, the grid keeps the striped row in
 * these rows: an equal share of its vectors in each. */
#ifndef LIFE2D_CPU_KERNEL_PASS_H
#define LIFE2D_CPU_KERNEL_PASS_H

#include "cpu_kernel_convert.h"
#include "cpu_kernel_level.h"

/* One pass. The grid holds linear bits before and after it, or rows in striped order. */
struct pass {
    uint64_t levels;
    int from_linear, to_linear;
};

struct band {
    const struct shape *shape;
    const struct rule *rule;
    step_level_fn *step_level;
    uint64_t *grid;
    uint64_t height;      /* of the grid */
    int dead;             /* are the cells above and below the grid dead? Otherwise it is a torus along y */
    uint64_t first, rows; /* the band's first row in the grid, and the rows of each of its parts */
    struct convert_scratch scratch;
    uint64_t *halo;   /* 2 * levels rows, striped or linear as in the grid */
    struct ring ring; /* 2 * levels + block rows */
    uint64_t block;   /* rows that enter at a time, an even number */
};

static uint64_t *grid_row(const struct band *b, uint64_t y)
{
    return b->grid + y * b->shape->row_words;
}

static struct grid_rows band_row(const struct band *b, uint64_t j)
{
    struct grid_rows p = {grid_row(b, b->first + j), b->rows * b->shape->row_words};
    return p;
}

static struct grid_rows halo_row(const struct band *b, uint64_t i)
{
    uint64_t words = b->shape->piece_words;
    struct grid_rows p = {b->halo + i * words * b->shape->groups, words};
    return p;
}

/* The place of vector i of a striped row in the grid or the halo. */
static uint64_t *vector_at(const struct shape *s, struct grid_rows p, uint64_t i)
{
    uint64_t share = s->piece_words / VEC_WORDS;
    return p.words + i / share * p.stride + i % share * VEC_WORDS;
}

/* Makes a row of the halo from striped rows: the groups of `row`, moved up or down by one, and one group of the band
 * beyond, or dead cells if it has no words. */
static void join_groups(const struct shape *s, struct grid_rows to, struct grid_rows row, struct grid_rows beyond,
                        int up)
{
    size_t group = VEC_WORDS / s->groups, rest = VEC_WORDS - group;
    for (uint64_t i = 0; i < s->columns; i++) {
        uint64_t *halo = vector_at(s, to, i), *own = vector_at(s, row, i), *end = halo + (up ? 0 : rest);
        memcpy(halo + (up ? group : 0), own + (up ? 0 : group), rest * sizeof *halo);
        if (beyond.words)
            memcpy(end, vector_at(s, beyond, i) + (up ? rest : 0), group * sizeof *halo);
        else
            memset(end, 0, group * sizeof *halo);
    }
}

/* Makes a row of the halo by copying rows of the grid, from row y on. Rows beyond the edges are those of the torus, or
 * dead. */
static void copy_rows(const struct band *b, struct grid_rows to, int64_t y)
{
    const size_t bytes = b->shape->piece_words * sizeof(uint64_t);
    const int64_t height = (int64_t) b->height;
    for (uint64_t g = 0; g < b->shape->groups; g++, y += (int64_t) b->rows)
        if (b->dead && (y < 0 || y >= height))
            memset(to.words + g * to.stride, 0, bytes);
        else
            memcpy(to.words + g * to.stride, grid_row(b, (uint64_t) ((y % height + height) % height)), bytes);
}

/* Copies the rows just outside the band's parts. With several groups, the parts of all bands have the same height,
 * which is at least `levels`. */
static void copy_halo(const struct band *b, const struct pass *p)
{
    uint64_t T = p->levels, H = b->height, part = b->rows, all = part * b->shape->groups;
    struct band above = *b, below = *b;
    const int no_above = b->dead && b->first == 0, no_below = b->dead && b->first + all == H;
    const struct grid_rows none = {NULL, 0};
    above.first = (b->first + H - all % H) % H;
    below.first = (b->first + all) % H;
    for (uint64_t i = 0; i < T; i++) {
        if (b->shape->groups == 1 || p->from_linear) {
            copy_rows(b, halo_row(b, i), (int64_t) (b->first + i) - (int64_t) T);
            copy_rows(b, halo_row(b, T + i), (int64_t) (b->first + part + i));
            continue;
        }
        join_groups(b->shape, halo_row(b, i), band_row(b, part - T + i),
                    no_above ? none : band_row(&above, part - T + i), 1);
        join_groups(b->shape, halo_row(b, T + i), band_row(b, i), no_below ? none : band_row(&below, i), 0);
    }
}

/* Row i of those that the pass reads: the halo above, the band, and the halo below. */
static struct grid_rows input_row(const struct band *b, const struct pass *p, uint64_t i)
{
    if (i >= p->levels && i < p->levels + b->rows)
        return band_row(b, i - p->levels);
    return halo_row(b, i < p->levels ? i : i - b->rows);
}

/* Copies a striped row to its shares, one for each group (`out`), or back. */
static void copy_shares(const struct shape *s, vec *row, struct grid_rows p, int out)
{
    uint64_t share = s->piece_words / VEC_WORDS;
    for (uint64_t i = 0; i < s->columns; i += share) {
        size_t bytes = (s->columns - i < share ? s->columns - i : share) * sizeof *row;
        memcpy(out ? (void *) vector_at(s, p, i) : row + i, out ? row + i : (void *) vector_at(s, p, i), bytes);
    }
}

static void load_row(const struct band *b, const struct pass *p, vec *row, struct grid_rows from)
{
    if (p->from_linear) {
        to_striped(b->shape, &b->scratch, row, from);
        return;
    }
    copy_shares(b->shape, row, from, 0);
    refresh_ghosts(row, b->shape);
}

static void store_row(const struct band *b, const struct pass *p, struct grid_rows to, vec *row)
{
    if (p->to_linear)
        to_linear(b->shape, &b->scratch, to, row);
    else
        copy_shares(b->shape, row, to, 1);
}

/* The first row of the block at input row `start` that is right at `level`. Each step makes a row at either end wrong.
 */
static uint64_t first_right(uint64_t start, uint64_t level)
{
    return 2 * level > start ? 2 * level - start : 0;
}

/* The rows of the grid that the next block will load; a part is prefetched with each pair of rows of this block. */
static struct fetch fetch_next_block(const struct band *b, const struct pass *p, uint64_t start)
{
    uint64_t from = start + b->block, to = from + b->block, last = p->levels + b->rows;
    struct fetch f = {0};
    if (from < p->levels || from >= last)
        return f;
    struct grid_rows rows = band_row(b, from - p->levels);
    f.at = (const char *) rows.words;
    f.stride = rows.stride * sizeof(uint64_t);
    f.part_bytes = ((to < last ? to : last) - from) * b->shape->row_words * sizeof(uint64_t);
    f.parts = b->shape->groups;
    f.bytes = f.part_bytes * f.parts / (p->levels * b->block / 2) + 64;
    return f;
}

/* Clears all lanes but `kept` of an input row if it is among those that level `level` has just made, n + first to n +
 * rows - 1. */
static void clear_row(const struct band *b, const struct pass *p, uint64_t start, uint64_t level, uint64_t rows,
                      uint64_t input, vec kept)
{
    const uint64_t first = first_right(start, level);
    if (input + level >= start + first && input + level < start + rows)
        clear_others(ring_row(&b->ring, 2 * (p->levels - level) + input + level - start), b->shape, kept);
}

/* Clears the rows beside dead edges, beyond them: above the first group of a striped row, and below its last one. Rows
 * further away do not matter, because no cell of the grid is near them. */
static void clear_beyond(const struct band *b, const struct pass *p, uint64_t start, uint64_t level, uint64_t rows)
{
    const uint64_t T = p->levels, last = b->first + (b->shape->groups - 1) * b->rows;
    if (T > b->first)
        clear_row(b, p, start, level, rows, T - b->first - 1, b->shape->lower);
    clear_row(b, p, start, level, rows, T + b->height - last, b->shape->upper);
}

/* Blocks begin at even rows, so only the last may end with half a pair. The row after it is then not used. */
static void step_block(const struct band *b, const struct pass *p, uint64_t start, uint64_t rows)
{
    struct fetch fetch = fetch_next_block(b, p, start);
    for (uint64_t level = 1; level <= p->levels; level++) {
        uint64_t n = 2 * (p->levels - level), first = first_right(start, level);
        if (first < rows)
            b->step_level(&b->ring, n + first, n + rows, &fetch, b->shape, b->rule);
        if (b->dead)
            clear_beyond(b, p, start, level, rows);
    }
}

static void run_pass(struct band *b, const struct pass *p)
{
    uint64_t input = b->rows + 2 * p->levels;
    b->ring.rows = 2 * p->levels + b->block;
    b->ring.start = 0;
    for (uint64_t start = 0; start < input; start += b->block) {
        uint64_t rows = input - start < b->block ? input - start : b->block;
        for (uint64_t k = 0; k < rows; k++)
            load_row(b, p, ring_row(&b->ring, 2 * p->levels + k), input_row(b, p, start + k));
        step_block(b, p, start, rows);
        for (uint64_t k = first_right(start, p->levels); k < rows; k++)
            store_row(b, p, band_row(b, start + k - 2 * p->levels), ring_row(&b->ring, k));
        b->ring.start = (b->ring.start + b->block) % b->ring.rows;
    }
}

#endif
