/* Steps of tiles of 32 x 32 cells, for settled regions (common/settled.h). A window is the 64 cells around a tile in
 * each row, so a row of it is a word, and a vector holds the windows of VEC_WORDS tiles. They may be anywhere in the
 * grid. Each step makes a row and a column at each end of the windows wrong:
 *
 *     16 cells   32 cells   16 cells
 *     +---------------------------+  12 rows, as the tiles take 12 steps
 *     |         .......           |
 *     |         : tile:           |  32 rows: right after 12 steps, as its columns are
 *     |         .......           |
 *     +---------------------------+  12 rows
 *
 * Beyond dead edges, cells are cleared after each step. */
#ifndef LIFE2D_CPU_KERNEL_WINDOWS_H
#define LIFE2D_CPU_KERNEL_WINDOWS_H

#include "cpu_kernel_batch.h"
#include "cpu_settled.h"

enum { WINDOW_MARGIN = 16, WINDOW_REACH = SETTLED_STEPS, WINDOW_ROWS = SETTLED_EDGE + 2 * WINDOW_REACH };

struct windows {
    vec rows[WINDOW_ROWS + NETWORK_BLOCK];      /* network_windows reads beyond the last one */
    vec earlier[SETTLED_PERIODS][SETTLED_EDGE]; /* the rows of the tiles, one period before the end of a pass */
    uint64_t first, end;                        /* the rows that are right */
    uint64_t first_inside, end_inside;          /* the rows that are not beyond a dead edge */
    vec inside;                                 /* the cells of a row that are not beyond a dead edge */
};

/* Replaces each row from first to end - 1 by its next state. */
typedef void step_windows_fn(struct windows *w, uint64_t first, uint64_t end, const struct rule *rule);

#define STEP_WINDOWS(name) \
    static void name##_windows(struct windows *w, uint64_t first, uint64_t end, const struct rule *shared_rule) \
    { \
        struct rule rule = *shared_rule; \
        const struct batch_column column = {w->rows, w->rows, w->rows, 63, 63}; \
        const vec inside = w->inside; \
        struct batch_line above = read_line(&column, first - 1, 1), here = read_line(&column, first, 1); \
        for (uint64_t y = first; y < end; y++) { \
            const struct batch_line below = read_line(&column, y + 1, 1); \
            w->rows[y] = BATCH_CELL(name##_cell, above, here, below, &rule) & inside; \
            above = here, here = below; \
        } \
    }
#define STEP_NAMED_WINDOWS(name, birth, survive) STEP_WINDOWS(name)

STEP_WINDOWS(b3s23)
STEP_WINDOWS(masks)
STEP_WINDOWS(masks_with_eight)
NAMED_RULES(STEP_NAMED_WINDOWS)

/* The lines of the network are rows here, not columns as in cpu_kernel_network.h, and a block is NETWORK_BLOCK rows:
 * what network_space says of rows and columns is exchanged. */
static void network_windows(struct windows *w, uint64_t first, uint64_t end, const struct rule *rule)
{
    struct network_space space;
    const uint32_t read = life2d_lines_read(rule->network);
    vec above = w->rows[first - 1];
    for (uint64_t y = first; y < end; y += NETWORK_BLOCK) {
        for (uint64_t i = 0; i < NETWORK_BLOCK + 2; i++) {
            const vec row = i ? w->rows[y + i - 1] : above;
            space.cells[0][i] = row << 1, space.cells[1][i] = row, space.cells[2][i] = row >> 1;
        }
        network_lines(&space, read, 0, NETWORK_BLOCK + 2);
        above = w->rows[y + NETWORK_BLOCK - 1];
        const vec *next = network_block(&space, rule->network);
        for (uint64_t i = 0; i < NETWORK_BLOCK && y + i < end; i++)
            w->rows[y + i] = next[i] & w->inside;
    }
}

static step_windows_fn *choose_step_windows(const struct rule *rule)
{
#define ENTRY(name, birth, survive) {birth, survive, name##_windows},
    static const struct {
        uint32_t birth, survive;
        step_windows_fn *step;
    } known[] = {{0x008, 0x00c, b3s23_windows}, NAMED_RULES(ENTRY)};
#undef ENTRY
    if (rule->network)
        return network_windows;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].birth == rule->birth && known[i].survive == rule->survive)
            return known[i].step;
    return rule->eight[0] | rule->eight_live[0] ? masks_with_eight_windows : masks_windows;
}

/* Takes `steps` steps, and keeps the tiles one period before the end. */
static void step_windows(struct windows *w, uint64_t steps, step_windows_fn *step, const struct rule *rule)
{
    w->first = WINDOW_REACH - steps, w->end = WINDOW_REACH + SETTLED_EDGE + steps;
    for (; steps > 0; steps--) {
        for (int i = 0; i < SETTLED_PERIODS; i++)
            if (settled_periods[i] == steps)
                memcpy(w->earlier[i], w->rows + WINDOW_REACH, sizeof w->earlier[i]);
        w->first++, w->end--;
        step(w, w->first > w->first_inside ? w->first : w->first_inside,
             w->end < w->end_inside ? w->end : w->end_inside, rule);
    }
}

/* Where the tiles differ from themselves one period i before, for settled_found: a byte for each. */
static void compare_windows(const struct windows *w, int i, uint8_t where[VEC_WORDS])
{
    const uint64_t reach = (((uint64_t) 1 << WINDOW_REACH) - 1) << WINDOW_MARGIN;
    vec top = all_lanes(0), middle = top, bottom = top;
    for (size_t y = 0; y < SETTLED_EDGE; y++) {
        const vec changed = w->rows[WINDOW_REACH + y] ^ w->earlier[i][y];
        if (y < WINDOW_REACH)
            top |= changed;
        else if (y < SETTLED_EDGE - WINDOW_REACH)
            middle |= changed;
        else
            bottom |= changed;
    }
    for (size_t lane = 0; lane < VEC_WORDS; lane++) {
        const uint64_t tile = (uint64_t) UINT32_MAX << WINDOW_MARGIN;
        const uint64_t any = (top[lane] | middle[lane] | bottom[lane]) & tile;
        where[lane] = (uint8_t) ((any ? SETTLED_CHANGED : 0) | (any & reach ? SETTLED_LOW(0) : 0) |
                                 (any & reach << (SETTLED_EDGE - WINDOW_REACH) ? SETTLED_HIGH(0) : 0) |
                                 (top[lane] & tile ? SETTLED_LOW(1) : 0) | (bottom[lane] & tile ? SETTLED_HIGH(1) : 0));
    }
}

#endif
