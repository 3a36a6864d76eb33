/* Many small universes: a vector holds the same word of VEC_WORDS universes, so that no word moves between lanes.
 *
 *     universe 0    a0 a1 a2 ...        vector 0    a0 b0 c0 ... h0        a row of 64 cells is one word,
 *     universe 1    b0 b1 b2 ...   ->   vector 1    a1 b1 c1 ... h1        and a wider row several
 *     ...                               vector 2    a2 b2 c2 ... h2
 *
 * The universes of a vector stay in two buffers in the caches for all steps of a call. A step goes down each column of
 * words. It sums the cells of a row in threes, and a sum serves three rows: what cpu_kernel_rule.h says of columns
 * holds of rows too. Operations on a vector of Life with three-input logic: 2 shifts or rotations, 2 for the sum, 6.
 *
 * If the edges are dead, a dead column is beside the first and the last column, and a dead line above and below. */
#ifndef LIFE2D_CPU_KERNEL_BATCH_H
#define LIFE2D_CPU_KERNEL_BATCH_H

#include "cpu_kernel_level.h"

/* The universes of a vector: column x of words is now[x * height] and on. */
struct universes {
    vec *now, *next, *dead_column;
    uint64_t words, height, tail; /* words of a row, and cells in its last word */
    int dead_x, dead_y;           /* are the cells beyond the edges dead? Otherwise the universes are tori */
};

/* A word of a row with its neighbours, and their sums. */
struct batch_line {
    vec left, cell, right, low, high;
};

/* A column of words, those before and after it, and where the bits between them come from and go to. */
struct batch_column {
    const vec *before, *at, *after;
    uint64_t from; /* the bit of the word before that is the left neighbour of bit 0 */
    uint64_t to;   /* the word's last bit */
};

/* `alone`: all cells beside the word are dead. */
INLINE struct batch_line read_line(const struct batch_column *column, uint64_t y, int alone)
{
    struct batch_line line = {.cell = column->at[y]};
    line.left = line.cell << 1;
    line.right = line.cell >> 1;
    if (!alone) {
        line.left |= column->before[y] >> column->from & 1;
        line.right |= column->after[y] << 63 >> (63 - column->to);
    }
    line.low = SUM1(line.left, line.cell, line.right);
    line.high = SUM2(line.left, line.cell, line.right);
    return line;
}

#define BATCH_CELL(cell_fn, above, here, below, rule) \
    cell_fn((struct around){.left1 = (above).low, \
                            .left2 = (above).high, \
                            .right1 = (below).low, \
                            .right2 = (below).high, \
                            .pair1 = PAIR1((here).left, (here).right), \
                            .pair2 = PAIR2((here).left, (here).right), \
                            .cell = (here).cell}, \
            rule, 0)

/* Compiled apart for columns of whole words, whose shifts are constants, and alone in their row, where they rotate.
 * `dead`: are the lines above and below the column dead? The loop is that of a torus all the same, because a test for
 * the last row in it costs AVX2 time (docs/lab/life2d-bit.md); the last row is made again. */
#define STEP_COLUMN(cell_fn, alone, column, next, height, dead, mask, rule) \
    { \
        const struct batch_line none = {.cell = all_lanes(0)}; \
        struct batch_line above = (dead) ? none : read_line(&(column), (height) -1, alone), \
                          here = read_line(&(column), 0, alone); \
        for (uint64_t y = 0; y < (height); y++) { \
            const struct batch_line below = read_line(&(column), y + 1 < (height) ? y + 1 : 0, alone); \
            (next)[y] = BATCH_CELL(cell_fn, above, here, below, rule) & (mask); \
            above = here, here = below; \
        } \
        if (dead) { \
            above = (height) > 1 ? read_line(&(column), (height) -2, alone) : none; \
            here = read_line(&(column), (height) -1, alone); \
            (next)[(height) -1] = BATCH_CELL(cell_fn, above, here, none, rule) & (mask); \
        } \
    }

typedef void take_universes_fn(struct universes *u, uint64_t steps, const struct rule *rule);

#define TAKE_UNIVERSES(name) \
    static void name##_universes(struct universes *u, uint64_t steps, const struct rule *shared_rule) \
    { \
        struct rule rule = *shared_rule; \
        const uint64_t height = u->height, last = u->words - 1; \
        for (; steps > 0; steps--) { \
            for (uint64_t x = 0; x <= last; x++) { \
                const vec *at = u->now + x * height; \
                const vec *before = x ? at - height : u->dead_x ? u->dead_column : u->now + last * height; \
                const vec *after = x < last ? at + height : u->dead_x ? u->dead_column : u->now; \
                vec *next = u->next + x * height; \
                const uint64_t from = x || u->dead_x ? 63 : u->tail - 1, to = x < last ? 63 : u->tail - 1; \
                const vec mask = all_lanes(1) >> (63 - to); \
                if (u->words == 1 && u->dead_x) { \
                    const struct batch_column column = {at, at, at, 63, 63}; \
                    STEP_COLUMN(name##_cell, 1, column, next, height, u->dead_y, mask, &rule) \
                } else if (u->words == 1 && to == 63) { \
                    const struct batch_column column = {at, at, at, 63, 63}; \
                    STEP_COLUMN(name##_cell, 0, column, next, height, u->dead_y, all_lanes(1), &rule) \
                } else if (from == 63 && to == 63) { \
                    const struct batch_column column = {before, at, after, 63, 63}; \
                    STEP_COLUMN(name##_cell, 0, column, next, height, u->dead_y, all_lanes(1), &rule) \
                } else { \
                    const struct batch_column column = {before, at, after, from, to}; \
                    STEP_COLUMN(name##_cell, 0, column, next, height, u->dead_y, mask, &rule) \
                } \
            } \
            vec *const other = u->now; \
            u->now = u->next, u->next = other; \
        } \
    }
#define TAKE_NAMED(name, birth, survive) TAKE_UNIVERSES(name)

TAKE_UNIVERSES(b3s23)
TAKE_UNIVERSES(masks)
TAKE_UNIVERSES(masks_with_eight)
NAMED_RULES(TAKE_NAMED)

static take_universes_fn *choose_take_universes(const struct rule *rule)
{
#define ENTRY(name, birth, survive) {birth, survive, name##_universes},
    static const struct {
        uint32_t birth, survive;
        take_universes_fn *take;
    } known[] = {{0x008, 0x00c, b3s23_universes}, NAMED_RULES(ENTRY)};
#undef ENTRY
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].birth == rule->birth && known[i].survive == rule->survive)
            return known[i].take;
    return rule->eight[0] | rule->eight_live[0] ? masks_with_eight_universes : masks_universes;
}

/* Moves the words of `count` universes, one for each word of a vector, from the grid to u->now, or back. Words without
 * a universe of their own have the cells of the first one. */
static void move_universes(const struct life2d_batch_job *job, uint64_t first, uint64_t count, struct universes *u,
                           int into_grid)
{
    for (uint64_t w = 0; w < (into_grid ? count : VEC_WORDS); w++) {
        uint64_t *universe = job->cells + (first + (w < count ? w : 0)) * job->universe_words;
        for (uint64_t y = 0; y < u->height; y++)
            for (uint64_t x = 0; x < u->words; x++) {
                uint64_t *word = universe + y * job->row_words + x;
                uint64_t *lane = (uint64_t *) (void *) &u->now[x * u->height + y] + w;
                if (into_grid)
                    *word = *lane;
                else
                    *lane = x + 1 < u->words ? *word : *word & ~UINT64_C(0) >> (64 - u->tail);
            }
    }
}

static void advance_batch(const struct life2d_batch_job *job, uint64_t first, uint64_t count, void *workspace)
{
    const struct rule rule = make_rule(job->birth, job->survive);
    take_universes_fn *take = choose_take_universes(&rule);
    struct universes u = {.words = (job->width + 63) / 64, .height = job->height};
    const uint64_t vectors = u.words * u.height;
    u.tail = job->width - 64 * (u.words - 1);
    u.dead_x = (job->dead & LIFE_DEAD_X) != 0, u.dead_y = (job->dead & LIFE_DEAD_Y) != 0;
    u.now = (vec *) workspace, u.next = u.now + vectors, u.dead_column = u.next + vectors;
    memset(u.dead_column, 0, u.height * sizeof(vec));
    for (uint64_t done = 0; done < count; done += VEC_WORDS) {
        const uint64_t together = count - done < VEC_WORDS ? count - done : VEC_WORDS;
        move_universes(job, first + done, together, &u, 0);
        take(&u, job->steps, &rule);
        move_universes(job, first + done, together, &u, 1);
    }
}

#endif
