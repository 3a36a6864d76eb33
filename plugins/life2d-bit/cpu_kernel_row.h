/*
 * A step of two rows in striped order.
 *
 * A row of cells is cut in pieces of equal length, the lanes; the first `lanes_long` of them hold `columns` cells, the
 * rest one less. Vector i of the row holds cell i of every lane, so that the neighbours of a cell sit at the same bit
 * of the vectors beside it, whatever the width. Vectors -1 and `columns` repeat what the neighbouring lanes hold, and
 * so does the last vector in the short lanes: close_row sees to that.
 *
 * So that the rows of narrow grids have columns enough, a striped row may be 2, 4 or 8 rows of the grid, far apart,
 * each in a group of lanes of its own.
 */
#ifndef LIFE2D_CPU_KERNEL_ROW_H
#define LIFE2D_CPU_KERNEL_ROW_H

#include <stddef.h>

#include "cpu_kernel_rule.h"

/*
 * Lane b takes what lane b - 1 (lane_up) or b + 1 (lane_down) had, within groups of lanes whose ends meet; lane b is
 * bit b % 64 of word b / 64. All words turn by a bit and then exchange the bit that should have left, by a turn of the
 * words.
 */
struct turns {
    vec up, down; /* AVX-512: which word comes to each place; else all ones if a group is one word, which stays */
};

#if LANES == 512
#define WORDS_UP(v, turns)   ((vec) _mm512_permutexvar_epi64((__m512i) (turns)->up, (__m512i) (v)))
#define WORDS_DOWN(v, turns) ((vec) _mm512_permutexvar_epi64((__m512i) (turns)->down, (__m512i) (v)))
#elif LANES == 256
#define WORDS_UP(v, turns)   CHOOSE((turns)->up, v, __builtin_shufflevector(v, v, 3, 0, 1, 2))
#define WORDS_DOWN(v, turns) CHOOSE((turns)->down, v, __builtin_shufflevector(v, v, 1, 2, 3, 0))
#else
#define WORDS_UP(v, turns)   CHOOSE((turns)->up, v, __builtin_shufflevector(v, v, 1, 0))
#define WORDS_DOWN(v, turns) CHOOSE((turns)->down, v, __builtin_shufflevector(v, v, 1, 0))
#endif

static struct turns make_turns(uint64_t groups)
{
    struct turns t = {all_lanes(groups == VEC_WORDS), all_lanes(groups == VEC_WORDS)};
#if LANES == 512
    uint64_t words = VEC_WORDS / groups;
    for (uint64_t w = 0; w < VEC_WORDS; w++) {
        t.up[w] = w / words * words + (w + words - 1) % words;
        t.down[w] = w / words * words + (w + 1) % words;
    }
#endif
    return t;
}

INLINE vec lane_up(vec v, const struct turns *turns)
{
    vec turned = v << 1 | v >> 63;
    return CHOOSE((all_lanes(1) >> 63), WORDS_UP(turned, turns), turned);
}

INLINE vec lane_down(vec v, const struct turns *turns)
{
    vec turned = v >> 1 | v << 63;
    return CHOOSE((all_lanes(1) << 63), WORDS_DOWN(turned, turns), turned);
}

struct shape {
    uint64_t width;       /* of the grid */
    uint64_t groups;      /* rows of the grid in a striped row */
    uint64_t lanes;       /* of a row of the grid: LANES / groups */
    uint64_t copies;      /* a grid with fewer cells than lanes stands side by side this many times */
    uint64_t columns;     /* vectors in a striped row */
    uint64_t lanes_long;  /* lanes of `columns` cells; the others have one less */
    uint64_t row_words;   /* words of a row of the grid, */
    uint64_t piece_words; /* and those of them that hold its cells, or its share of a striped row */
    struct turns turns;
    vec lanes_short; /* a bit set for each lane of columns - 1 cells */
};

INLINE uint64_t lane_start(const struct shape *s, uint64_t lane)
{
    return lane * (s->columns - 1) + (lane < s->lanes_long ? lane : s->lanes_long);
}

static struct shape make_shape(uint64_t width, uint64_t row_words, uint64_t groups)
{
    struct shape s = {.width = width, .groups = groups, .lanes = LANES / groups, .row_words = row_words};
    s.copies = width < s.lanes ? (s.lanes + width - 1) / width : 1;
    s.columns = (width * s.copies + s.lanes - 1) / s.lanes;
    s.lanes_long = width * s.copies - (s.columns - 1) * s.lanes;
    s.piece_words = (width + 511) / 512 * 8;
    s.turns = make_turns(groups);
    for (uint64_t lane = 0; lane < LANES; lane++)
        s.lanes_short[lane / 64] |= (uint64_t) (lane % s.lanes >= s.lanes_long) << lane % 64;
    return s;
}

/* Makes the repeated cells of a row agree with the row. */
INLINE void close_row(vec *row, const struct shape *s)
{
    ptrdiff_t last = (ptrdiff_t) s->columns - 1;
    vec right = lane_down(row[0], &s->turns), left = row[last];
    if (s->lanes_long != s->lanes) {
        row[last] = CHOOSE(s->lanes_short, right, row[last]);
        left = CHOOSE(s->lanes_short, row[last - 1], row[last]);
    }
    row[last + 1] = right;
    row[-1] = lane_up(left, &s->turns);
}

/* The next state of a vector of cells. The rule is the caller's own; `which` of its sets of leaves may be written. */
typedef vec cell_fn(struct around n, struct rule *rule, int which);

/* A vector of cells with its pair above and below, and how many of the three live: sum1 + 2 * sum2. */
struct column {
    vec cell, pair1, pair2, sum1, sum2;
};

INLINE struct column make_column(vec above, vec cell, vec below)
{
    struct column c = {cell, PAIR1(above, below), PAIR2(above, below), SUM1(above, cell, below),
                       SUM2(above, cell, below)};
    return c;
}

INLINE struct around around(const struct column *left, const struct column *mid, const struct column *right)
{
    struct around n = {left->sum1, left->sum2, right->sum1, right->sum2, mid->pair1, mid->pair2, mid->cell};
    return n;
}

#if LANES == 512

struct columns {
    struct column upper, lower;
};

INLINE struct columns load_columns(const vec *row0, const vec *row1, const vec *row2, const vec *row3, ptrdiff_t i)
{
    vec cell0 = row0[i], cell1 = row1[i], cell2 = row2[i], cell3 = row3[i];
    struct columns c = {make_column(cell0, cell1, cell2), make_column(cell1, cell2, cell3)};
    return c;
}

/*
 * Of four rows, replaces the first by the next state of the second, and the second by that of the third. Two rows at a
 * time share the loads of the rows between them. A column is read before anything is written to it.
 */
INLINE void step_rows_with(cell_fn *next_cell, vec *restrict row0, vec *restrict row1, const vec *restrict row2,
                           const vec *restrict row3, const struct shape *s, struct rule *rule)
{
    struct columns left, mid = load_columns(row0, row1, row2, row3, -1),
                         right = load_columns(row0, row1, row2, row3, 0);
    for (ptrdiff_t i = 0; i < (ptrdiff_t) s->columns; i++) {
        left = mid, mid = right, right = load_columns(row0, row1, row2, row3, i + 1);
        row0[i] = next_cell(around(&left.upper, &mid.upper, &right.upper), rule, 0);
        row1[i] = next_cell(around(&left.lower, &mid.lower, &right.lower), rule, 1);
    }
    close_row(row0, s);
    close_row(row1, s);
}

#else

INLINE void step_row_with(cell_fn *next_cell, vec *restrict above, const vec *restrict row, const vec *restrict below,
                          const struct shape *s, struct rule *rule)
{
    struct column left, mid = make_column(above[-1], row[-1], below[-1]),
                        right = make_column(above[0], row[0], below[0]);
    for (ptrdiff_t i = 0; i < (ptrdiff_t) s->columns; i++) {
        left = mid, mid = right, right = make_column(above[i + 1], row[i + 1], below[i + 1]);
        above[i] = next_cell(around(&left, &mid, &right), rule, 0);
    }
    close_row(above, s);
}

/* Of four rows, replaces the first by the next state of the second, and the second by that of the third; one after the
 * other: two rows at a time need more than 16 registers. */
INLINE void step_rows_with(cell_fn *next_cell, vec *restrict row0, vec *restrict row1, const vec *restrict row2,
                           const vec *restrict row3, const struct shape *s, struct rule *rule)
{
    step_row_with(next_cell, row0, row1, row2, s, rule);
    step_row_with(next_cell, row1, row2, row3, s, rule);
}

#endif

#endif
