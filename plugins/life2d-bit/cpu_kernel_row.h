/*
 * Steps of rows in striped order.
 *
 * A row of cells is cut in LANES pieces of equal length, the lanes; the first `lanes_long` of them hold `columns` cells, the
 * rest one less. Vector i of the row holds cell i of every lane, so that the neighbours of a cell sit at the same bit
 * of the vectors beside it, whatever the width. Vectors -1 and `columns` repeat what the neighbouring lanes hold, and so
 * does the last vector in the short lanes: close_row sees to that.
 */
#ifndef LIFE2D_CPU_KERNEL_ROW_H
#define LIFE2D_CPU_KERNEL_ROW_H

#include <stddef.h>

#include "cpu_kernel_rule.h"

struct shape {
    uint64_t width;      /* of the grid */
    uint64_t copies;     /* a grid narrower than a vector stands side by side this many times */
    uint64_t cells;      /* width * copies */
    uint64_t row_words;  /* of the grid */
    uint64_t full_words; /* of them, those that hold the row in either order */
    uint64_t columns;    /* vectors in a row */
    uint64_t lanes_long; /* lanes of `columns` cells; the others have one less */
    vec lanes_short;     /* a bit set for each lane of columns - 1 cells */
};

static uint64_t lane_length(const struct shape *s, uint64_t lane)
{
    return s->columns - (lane >= s->lanes_long);
}

INLINE uint64_t lane_start(const struct shape *s, uint64_t lane)
{
    return lane * (s->columns - 1) + (lane < s->lanes_long ? lane : s->lanes_long);
}

static struct shape make_shape(uint64_t width, uint64_t row_words)
{
    struct shape s = {.width = width, .row_words = row_words};
    s.full_words = (width + 511) / 512 * 8;
    s.copies = (LANES + width - 1) / width;
    if (width >= LANES)
        s.copies = 1;
    s.cells = width * s.copies;
    s.columns = (s.cells + LANES - 1) / LANES;
    s.lanes_long = s.cells - (s.columns - 1) * LANES;
    for (unsigned lane = (unsigned)s.lanes_long; lane < LANES; lane++)
        s.lanes_short[lane / 64] |= (uint64_t)1 << lane % 64;
    return s;
}

/* Makes the repeated cells of a row agree with the row. */
INLINE void close_row(vec *row, const struct shape *s)
{
    ptrdiff_t last = (ptrdiff_t)s->columns - 1;
    vec right = lane_down(row[0]);
    vec end = CHOOSE(s->lanes_short, right, row[last]);
    vec left = CHOOSE(s->lanes_short, row[last - 1], end);
    row[last] = end;
    row[last + 1] = right;
    row[-1] = lane_up(left);
}

typedef vec cell_fn(struct around n, const struct rule *rule);

/* Four cells above each other, and how many of the upper and of the lower three live: upper1 + 2 * upper2. */
struct column {
    vec row[4], upper1, upper2, lower1, lower2;
};

INLINE struct column load_column(const vec *row0, const vec *row1, const vec *row2, const vec *row3, ptrdiff_t i)
{
    struct column c = {.row = {row0[i], row1[i], row2[i], row3[i]}};
    c.upper1 = SUM1(c.row[0], c.row[1], c.row[2]), c.upper2 = SUM2(c.row[0], c.row[1], c.row[2]);
    c.lower1 = SUM1(c.row[3], c.row[1], c.row[2]), c.lower2 = SUM2(c.row[3], c.row[1], c.row[2]);
    return c;
}

/*
 * Of four rows, replaces the first by the next state of the second and the second by that of the third. Two rows at a time
 * share the loads of the rows between them. A column is read before anything is written to it.
 */
INLINE void step_rows_with(cell_fn *next_cell, vec *restrict row0, vec *restrict row1, const vec *restrict row2,
                           const vec *restrict row3, const struct shape *s, const struct rule *rule)
{
    struct column left, mid = load_column(row0, row1, row2, row3, -1), right = load_column(row0, row1, row2, row3, 0);
    for (ptrdiff_t i = 0; i < (ptrdiff_t)s->columns; i++) {
        left = mid, mid = right, right = load_column(row0, row1, row2, row3, i + 1);
        struct around upper = {left.upper1, left.upper2, right.upper1, right.upper2, mid.row[0], mid.row[1], mid.row[2]};
        struct around lower = {left.lower1, left.lower2, right.lower1, right.lower2, mid.row[1], mid.row[2], mid.row[3]};
        row0[i] = next_cell(upper, rule);
        row1[i] = next_cell(lower, rule);
    }
    close_row(row0, s);
    close_row(row1, s);
}

typedef void step_rows_fn(vec *restrict row0, vec *restrict row1, const vec *restrict row2, const vec *restrict row3,
                          const struct shape *s, const struct rule *rule);

#define STEP_ROWS(name)                                                                                              \
    static void name##_rows(vec *restrict row0, vec *restrict row1, const vec *restrict row2,                        \
                            const vec *restrict row3, const struct shape *s, const struct rule *rule)                \
    {                                                                                                                \
        step_rows_with(name##_cell, row0, row1, row2, row3, s, rule);                                                \
    }
#define FIXED_RULE(name, birth, survive)                                                                             \
    INLINE vec name##_cell(struct around n, const struct rule *rule) FIXED_CELL(birth, survive) STEP_ROWS(name)

INLINE vec b3s23_cell(struct around n, const struct rule *rule)
{
    (void)rule;
    return life_cell(n);
}

INLINE vec masks_cell(struct around n, const struct rule *rule)
{
    return masked_cell(n, rule, 0);
}

INLINE vec masks_with_eight_cell(struct around n, const struct rule *rule)
{
    return masked_cell(n, rule, 1);
}

/* The rules with a row function of their own: name, birth, survive. */
#define NAMED_RULES(X)                    \
    X(highlife, 0x048, 0x00c)             \
    X(seeds, 0x004, 0x000)                \
    X(day_and_night, 0x1c8, 0x1d8)        \
    X(life_without_death, 0x008, 0x1ff)   \
    X(replicator, 0x0aa, 0x0aa)           \
    X(two_by_two, 0x048, 0x026)           \
    X(morley, 0x148, 0x034)               \
    X(maze, 0x008, 0x03e)

STEP_ROWS(b3s23)
STEP_ROWS(masks)
STEP_ROWS(masks_with_eight)
NAMED_RULES(FIXED_RULE)

static step_rows_fn *choose_step_rows(const struct rule *rule)
{
#define ENTRY(name, birth, survive) {birth, survive, name##_rows},
    static const struct {
        uint32_t birth, survive;
        step_rows_fn *step;
    } known[] = {{0x008, 0x00c, b3s23_rows}, NAMED_RULES(ENTRY)};
#undef ENTRY
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].birth == rule->birth && known[i].survive == rule->survive)
            return known[i].step;
    return rule->eight_dead[0] | rule->eight_live[0] ? masks_with_eight_rows : masks_rows;
}

#endif
