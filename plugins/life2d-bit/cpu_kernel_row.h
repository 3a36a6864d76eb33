/* A step of two rows in striped order.
 *
 * A row of cells is cut into lanes, pieces of equal length. Vector i has cell i of every lane, so that the neighbours
 * of a cell are at the same bit of the vectors before and after, whatever the width. For lanes of four cells a, b, …,
 * p:
 *
 *     vector -1    p3  a3  b3  …  o3       ghosts: the last cells of the lanes before
 *     vector  0    a0  b0  c0  …  p0
 *     vector  1    a1  b1  c1  …  p1
 *     vector  2    a2  b2  c2  …  p2
 *     vector  3    a3  b3  c3  …  p3
 *     vector  4    b0  c0  d0  …  a0       ghosts: the first cells of the lanes after
 *
 * If the width is not a multiple of the number of lanes, the last lanes have one cell less, and their last vector is a
 * ghost too. To give narrow grids enough columns, a striped row may consist of 2, 4 or 8 rows of the grid, far apart,
 * each in a group of lanes of its own. If the cells beyond the edges are dead, the ghosts before the first lane of a
 * group and after its last one are 0. */
#ifndef LIFE2D_CPU_KERNEL_ROW_H
#define LIFE2D_CPU_KERNEL_ROW_H

#include <stddef.h>

#include "cpu_kernel_rule.h"

/* A rotation by one lane: lane b gets the bit of lane b - 1 (lane_up) or b + 1 (lane_down), around the ends of each
 * group of lanes. Lane b is bit b % 64 of word b / 64. Each word rotates by a bit. The bit that should have left its
 * word comes from the word beside it, after a rotation of the words:
 *
 *     lane_up      w0: 63 62 … 1 0      ->      62 61 … 0 w1.63        (two words)
 *                  w1: 63 62 … 1 0      ->      62 61 … 0 w0.63 */
struct rotations {
    vec up, down; /* AVX-512: for each word, the index of the word that replaces it. Otherwise: all ones if a group is
                     one word, so that no word moves; 0 if the words of the vector rotate */
};

#if LANES == 512
#define WORDS_UP(v, rotations)   ((vec) _mm512_permutexvar_epi64((__m512i) (rotations)->up, (__m512i) (v)))
#define WORDS_DOWN(v, rotations) ((vec) _mm512_permutexvar_epi64((__m512i) (rotations)->down, (__m512i) (v)))
#elif LANES == 256
#define WORDS_UP(v, rotations)   CHOOSE((rotations)->up, v, __builtin_shufflevector(v, v, 3, 0, 1, 2))
#define WORDS_DOWN(v, rotations) CHOOSE((rotations)->down, v, __builtin_shufflevector(v, v, 1, 2, 3, 0))
#else
#define WORDS_UP(v, rotations)   CHOOSE((rotations)->up, v, __builtin_shufflevector(v, v, 1, 0))
#define WORDS_DOWN(v, rotations) CHOOSE((rotations)->down, v, __builtin_shufflevector(v, v, 1, 0))
#endif

static struct rotations make_rotations(uint64_t groups)
{
    struct rotations t = {all_lanes(groups == VEC_WORDS), all_lanes(groups == VEC_WORDS)};
#if LANES == 512
    uint64_t words = VEC_WORDS / groups;
    for (uint64_t w = 0; w < VEC_WORDS; w++) {
        t.up[w] = w / words * words + (w + words - 1) % words;
        t.down[w] = w / words * words + (w + 1) % words;
    }
#endif
    return t;
}

INLINE vec lane_up(vec v, const struct rotations *rotations)
{
    vec rotated = v << 1 | v >> 63;
    return CHOOSE((all_lanes(1) >> 63), WORDS_UP(rotated, rotations), rotated);
}

INLINE vec lane_down(vec v, const struct rotations *rotations)
{
    vec rotated = v >> 1 | v << 63;
    return CHOOSE((all_lanes(1) << 63), WORDS_DOWN(rotated, rotations), rotated);
}

struct shape {
    uint64_t width;       /* of the grid */
    uint64_t groups;      /* rows of the grid in a striped row */
    uint64_t lanes;       /* of a row of the grid: LANES / groups */
    uint64_t copies;      /* of the torus side by side, if it has fewer cells in a row than lanes; else 1 */
    uint64_t columns;     /* vectors in a striped row */
    uint64_t lanes_long;  /* lanes of `columns` cells; the others have one less */
    uint64_t row_words;   /* words of a row of the grid */
    uint64_t piece_words; /* the words of these that hold its cells, or its share of a striped row */
    struct rotations rotations;
    vec lanes_short;         /* a bit is set for each lane of columns - 1 cells */
    int dead;                /* are the cells beyond the edges dead? Otherwise the grid is a torus along x */
    vec not_first, not_last; /* a bit is set for each lane but the first, or last, of a group */
    vec lower, upper;        /* a bit is set for each lane but those of the first, or last, group */
};

INLINE uint64_t lane_start(const struct shape *s, uint64_t lane)
{
    return lane * (s->columns - 1) + (lane < s->lanes_long ? lane : s->lanes_long);
}

static struct shape make_shape(uint64_t width, uint64_t row_words, uint64_t groups, int dead)
{
    struct shape s = {.width = width, .groups = groups, .lanes = LANES / groups, .row_words = row_words, .dead = dead};
    s.copies = width < s.lanes && !dead ? (s.lanes + width - 1) / width : 1;
    s.columns = (width * s.copies + s.lanes - 1) / s.lanes;
    s.lanes_long = width * s.copies - (s.columns - 1) * s.lanes;
    s.piece_words = (width + 511) / 512 * 8;
    s.rotations = make_rotations(groups);
    for (uint64_t lane = 0; lane < LANES; lane++)
        s.lanes_short[lane / 64] |= (uint64_t) (lane % s.lanes >= s.lanes_long) << lane % 64;
    s.not_first = s.not_last = s.lower = s.upper = all_lanes(1);
    for (uint64_t lane = 0; lane < LANES; lane += s.lanes) {
        s.not_first[lane / 64] &= ~(uint64_t) 1;
        s.not_last[(lane + s.lanes - 1) / 64] &= ~((uint64_t) 1 << 63);
    }
    for (uint64_t w = 0; w < VEC_WORDS / groups; w++)
        s.lower[w] = s.upper[VEC_WORDS - 1 - w] = 0;
    return s;
}

/* Copies cells of the row to its ghosts. Beyond dead edges, ghosts are 0. The last lanes may then have no cell at
 * all. */
INLINE void refresh_ghosts(vec *row, const struct shape *s)
{
    ptrdiff_t last = (ptrdiff_t) s->columns - 1;
    if (s->dead && last == 0)
        row[0] &= ~s->lanes_short;
    vec right = lane_down(row[0], &s->rotations), left = row[last];
    if (s->dead)
        right &= s->not_last;
    if (s->lanes_long != s->lanes && last > 0) {
        row[last] = CHOOSE(s->lanes_short, right, row[last]);
        left = CHOOSE(s->lanes_short, row[last - 1], row[last]);
    }
    left = lane_up(left, &s->rotations);
    if (s->dead)
        left &= s->not_first;
    row[last + 1] = right;
    row[-1] = left;
}

/* Clears all lanes of a row but `kept`. */
static void clear_others(vec *row, const struct shape *s, vec kept)
{
    for (ptrdiff_t i = -1; i <= (ptrdiff_t) s->columns; i++)
        row[i] &= kept;
}

/* Computes the next state of a vector of cells. The rule is the caller's copy; the function may write set `which` of
 * its leaves. */
typedef vec cell_fn(struct around n, struct rule *rule, int which);

/* A vector of cells, the pair of cells above and below it, and how many of the three live: sum1 + 2 sum2. */
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

/* Replaces row 0 by the next state of row 1, and row 1 by the next state of row 2. Making two rows at a time shares the
 * loads of the rows between them. The loop reads column i + 1 of all rows before it writes column i. */
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
    refresh_ghosts(row0, s);
    refresh_ghosts(row1, s);
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
    refresh_ghosts(above, s);
}

/* Replaces row 0 by the next state of row 1, and row 1 by the next state of row 2, one after the other: both at a time
 * need more than 16 registers. */
INLINE void step_rows_with(cell_fn *next_cell, vec *restrict row0, vec *restrict row1, const vec *restrict row2,
                           const vec *restrict row3, const struct shape *s, struct rule *rule)
{
    step_row_with(next_cell, row0, row1, row2, s, rule);
    step_row_with(next_cell, row1, row2, row3, s, rule);
}

#endif

#endif
