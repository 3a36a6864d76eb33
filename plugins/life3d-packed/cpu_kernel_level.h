/* One step of a few planes, compiled for each rule that has code of its own.
 *
 * A plane consists of columns of vectors. The x-neighbours of a cell are at the same bit of the columns beside; the
 * first and the last column are neighbours, with a rotation by a bit, or with a shift if the edges are dead. Each
 * column lies in a slot of its plane, with a ghost row at either end. A plane has room for two slots more than it has
 * columns, and for one more row.
 *
 * A step is made in place, because a store to a line that is not in the first-level cache costs four cycles. A new
 * column goes to the slot of the column before, which no later column reads. The first column is an exception, because
 * the last column reads it at the end. For four columns a … d:
 *
 *     slots before a step     a    b    c    d    -    -
 *     slots after it          -    c'   d'   -    a'   b'
 *
 * Rows are taken in blocks of a column. A new row would overwrite one that the next block still reads, so the new
 * column also moves by a row. It moves up in one step, which takes the blocks from the top down. It moves down in the
 * next step, which takes them from the bottom up. */
#ifndef LIFE3D_PACKED_CPU_KERNEL_LEVEL_H
#define LIFE3D_PACKED_CPU_KERNEL_LEVEL_H

#include <stddef.h>

#include "cpu_kernel_rule.h"

#define BATCH 16 /* planes that one call steps together, a multiple of four */

/* The places of the columns of a plane: vector (column, row) is at slot[column] + first_row + row. */
struct frame {
    ptrdiff_t *slot, spare[2];
    ptrdiff_t first_row;
};

/* How the first and the last column are neighbours. */
enum edge { INSIDE, JOINED, DEAD };

struct area {
    ptrdiff_t columns, rows;
    ptrdiff_t block; /* rows of a block */
    enum edge edge;  /* of the first and of the last column */
};

/* A step: for first <= p < count, planes[p] in frame `to` becomes the next state of planes[p + 1] in frame `from`.
 * first and count are multiples of four. The last two planes do not change. */
struct batch {
    vec *planes[BATCH + 2];
    ptrdiff_t first, count;
    struct frame from, to;
};

/* The frame after a step. */
static void next_frame(const struct frame *from, struct frame *to, ptrdiff_t columns)
{
    to->first_row = 3 - from->first_row;
    for (ptrdiff_t i = 0; i < columns; i++)
        to->slot[i] = i < 2 ? from->spare[i] : from->slot[i - 1];
    to->spare[0] = from->slot[0];
    to->spare[1] = columns == 1 ? from->spare[1] : from->slot[columns - 1];
}

/* Rows of a column to step: their places in a plane, and the edge if the column is the first or the last. */
struct column {
    ptrdiff_t left, cell, right, to;
    ptrdiff_t rows;
    enum edge first, last;
};

INLINE struct sum row_of(const vec *plane, const struct column *c, ptrdiff_t j)
{
    vec left = plane[c->left + j], right = plane[c->right + j];
    if (c->first == JOINED)
        left = left << 1 | left >> 63;
    else if (c->first == DEAD)
        left = left << 1;
    if (c->last == JOINED)
        right = right >> 1 | right << 63;
    else if (c->last == DEAD)
        right = right >> 1;
    return add_three(left, right, plane[c->cell + j]);
}

/* Makes the sums of the first two planes. */
INLINE void start_sums(vec *const *planes, const struct column *c, struct nine (*sums)[2])
{
    for (int p = 0; p < 2; p++) {
        struct sum above = row_of(planes[p], c, -1), here = row_of(planes[p], c, 0);
        for (ptrdiff_t j = 0; j < c->rows; j++) {
            const struct sum below = row_of(planes[p], c, j + 1);
            sums[j][p] = add_nine(above, here, below);
            above = here, here = below;
        }
    }
}

/* A row of four planes, summed along x. */
struct row {
    struct sum plane[4];
};

INLINE struct row four_rows_of(vec *const *planes, const struct column *c, ptrdiff_t j)
{
    return (struct row){
        {row_of(planes[0], c, j), row_of(planes[1], c, j), row_of(planes[2], c, j), row_of(planes[3], c, j)}};
}

INLINE struct nine next_row(const struct row *above, const struct row *here, struct row *below, const vec *plane, int p,
                            const struct column *c, ptrdiff_t j)
{
    below->plane[p] = row_of(plane, c, j + 1);
    return add_nine(above->plane[p], here->plane[p], below->plane[p]);
}

/* Steps row j of four planes. On entry `sums` holds the sums of planes 0 and 1, on return those of planes 4 and 5. The
 * function reads all of a row before it writes to its place. */
INLINE void step_row(cell_fn *next_cell, vec *const planes[6], const struct column *c, ptrdiff_t j, struct nine sums[2],
                     const struct row *above, const struct row *here, struct row *below, struct rule *rule)
{
    const ptrdiff_t cell = c->cell + j, to = c->to + j;
    const struct nine n2 = next_row(above, here, below, planes[2], 0, c, j);
    const struct pair p12 = add_pair(sums[1], n2);
    planes[0][to] = next_cell(add_total(p12, sums[0]), planes[1][cell], rule, 0);
    const struct nine n3 = next_row(above, here, below, planes[3], 1, c, j);
    planes[1][to] = next_cell(add_total(p12, n3), planes[2][cell], rule, 1);
    const struct nine n4 = next_row(above, here, below, planes[4], 2, c, j);
    const struct pair p34 = add_pair(n3, n4);
    sums[0] = n4;
    planes[2][to] = next_cell(add_total(p34, n2), planes[3][cell], rule, 0);
    const struct nine n5 = next_row(above, here, below, planes[5], 3, c, j);
    sums[1] = n5;
    planes[3][to] = next_cell(add_total(p34, n5), planes[4][cell], rule, 1);
}

/* Steps the rows of four planes. The three rows of sums change roles by name, so that none moves between registers. */
INLINE void step_four(cell_fn *next_cell, vec *const *all_planes, const struct column *column, struct nine (*sums)[2],
                      struct rule *rule)
{
    const struct column c = *column;
    vec *const planes[6] = {all_planes[0], all_planes[1], all_planes[2], all_planes[3], all_planes[4], all_planes[5]};
    struct row x = four_rows_of(planes + 2, &c, -1), y = four_rows_of(planes + 2, &c, 0), z;
    for (ptrdiff_t j = 0;;) {
        step_row(next_cell, planes, &c, j, sums[j], &x, &y, &z, rule);
        if (++j == c.rows)
            break;
        step_row(next_cell, planes, &c, j, sums[j], &y, &z, &x, rule);
        if (++j == c.rows)
            break;
        step_row(next_cell, planes, &c, j, sums[j], &z, &x, &y, rule);
        if (++j == c.rows)
            break;
    }
}

INLINE void step_column(cell_fn *next_cell, const struct batch *b, struct column c, enum edge first, enum edge last,
                        struct nine (*sums)[2], struct rule *rule)
{
    c.first = first, c.last = last;
    start_sums(b->planes + b->first, &c, sums);
    for (ptrdiff_t p = b->first; p < b->count; p += 4)
        step_four(next_cell, b->planes + p, &c, sums, rule);
}

/* Column i, for `rows` rows from `row` on. */
static struct column column_of(const struct batch *b, const struct area *a, ptrdiff_t i, ptrdiff_t row, ptrdiff_t rows)
{
    const ptrdiff_t *slot = b->from.slot, from = b->from.first_row + row, last = a->columns - 1;
    return (struct column){slot[i == 0 ? last : i - 1] + from,    slot[i] + from, slot[i == last ? 0 : i + 1] + from,
                           b->to.slot[i] + b->to.first_row + row, rows,           i == 0 ? a->edge : INSIDE,
                           i == last ? a->edge : INSIDE};
}

/* The first row of block n: from the top down if the step moves rows up, else from the bottom up. */
static ptrdiff_t block_row(const struct batch *b, const struct area *a, ptrdiff_t n)
{
    const ptrdiff_t blocks = (a->rows + a->block - 1) / a->block;
    return (b->to.first_row < b->from.first_row ? n : blocks - 1 - n) * a->block;
}

/* Steps a batch. `sums` is scratch memory: the sums of two planes for each row of a block. */
typedef void step_batch_fn(const struct batch *batch, const struct area *area, struct nine (*sums)[2],
                           const struct rule *rule);

/* Steps a column, with code of its own for the columns at the edges and for those between them. */
INLINE void step_edge_apart(cell_fn *next_cell, const struct batch *b, struct column c, struct nine (*sums)[2],
                            struct rule *rule)
{
    if (!c.first && !c.last)
        step_column(next_cell, b, c, INSIDE, INSIDE, sums, rule);
    else if (c.first == JOINED && !c.last)
        step_column(next_cell, b, c, JOINED, INSIDE, sums, rule);
    else if (!c.first && c.last == JOINED)
        step_column(next_cell, b, c, INSIDE, JOINED, sums, rule);
    else if (c.first == JOINED)
        step_column(next_cell, b, c, JOINED, JOINED, sums, rule);
    else if (!c.last)
        step_column(next_cell, b, c, DEAD, INSIDE, sums, rule);
    else if (!c.first)
        step_column(next_cell, b, c, INSIDE, DEAD, sums, rule);
    else
        step_column(next_cell, b, c, DEAD, DEAD, sums, rule);
}

/* Steps any column with the same code. */
INLINE void step_edge_too(cell_fn *next_cell, const struct batch *b, struct column c, struct nine (*sums)[2],
                          struct rule *rule)
{
    step_column(next_cell, b, c, c.first, c.last, sums, rule);
}

#define STEP_BATCH(name, step_any_column) \
    static void name##_batch(const struct batch *b, const struct area *a, struct nine(*sums)[2], \
                             const struct rule *shared_rule) \
    { \
        struct rule rule = *shared_rule; \
        for (ptrdiff_t n = 0; n * a->block < a->rows; n++) { \
            const ptrdiff_t row = block_row(b, a, n), rest = a->rows - row, rows = rest < a->block ? rest : a->block; \
            for (ptrdiff_t i = 0; i < a->columns; i++) \
                step_any_column(name##_cell, b, column_of(b, a, i, row, rows), sums, &rule); \
        } \
    }

STEP_BATCH(b6s567, step_edge_apart)
STEP_BATCH(low_masks, step_edge_too)
STEP_BATCH(masks, step_edge_too)

static step_batch_fn *choose_step_batch(const struct rule *rule)
{
    if (rule->birth == 1u << 6 && rule->survive == 7u << 5)
        return b6s567_batch;
    return rule->birth >> 16 == 0 && rule->survive >> 15 == 0 ? low_masks_batch : masks_batch;
}

#endif
