/* One step of a block of rows in the ring of a pass (cpu_kernel_pass.h), compiled for each rule that has code of its
 * own. */
#ifndef LIFE2D_CPU_KERNEL_LEVEL_H
#define LIFE2D_CPU_KERNEL_LEVEL_H

#include "cpu_kernel_network.h"
#include "cpu_kernel_row.h"

/* A ring of striped rows. */
struct ring {
    vec *memory;
    uint64_t rows, stride; /* the stride in vectors; a row and its ghosts fit in it */
    uint64_t start;        /* the place in memory of row 0 */
};

INLINE vec *ring_row(const struct ring *r, uint64_t n)
{
    uint64_t at = r->start + n;
    return r->memory + (at < r->rows ? at : at - r->rows) * r->stride + 1;
}

/* Memory to prefetch into the second-level cache, in `parts` pieces, a few cache lines at a time. */
struct fetch {
    const char *at;
    size_t done, part_bytes, stride, parts;
    size_t bytes; /* to prefetch at a time */
};

INLINE void fetch_some(struct fetch *f)
{
    for (size_t i = 0; i < f->bytes && f->parts; i += 64) {
        __builtin_prefetch(f->at + f->done, 0, 2);
        f->done += 64;
        if (f->done >= f->part_bytes)
            f->at += f->stride, f->parts--, f->done = 0;
    }
}

/* Replaces each row n from first to last - 1 by the next state of row n + 1. It does so in pairs of rows, so it may
 * replace row `last` too. */
typedef void step_level_fn(const struct ring *ring, uint64_t first, uint64_t last, struct fetch *fetch,
                           const struct shape *shape, const struct rule *rule);

#define STEP_LEVEL(name) \
    static void name##_level(const struct ring *ring, uint64_t first, uint64_t last, struct fetch *fetch, \
                             const struct shape *shape, const struct rule *shared_rule) \
    { \
        struct rule rule = *shared_rule; \
        for (uint64_t n = first; n < last; n += 2) { \
            fetch_some(fetch); \
            step_rows_with(name##_cell, ring_row(ring, n), ring_row(ring, n + 1), ring_row(ring, n + 2), \
                           ring_row(ring, n + 3), shape, &rule); \
        } \
    }
#define FIXED_RULE(name, birth, survive) \
    INLINE vec name##_cell(struct around n, struct rule *rule, int which) FIXED_CELL(birth, survive) STEP_LEVEL(name)

INLINE vec b3s23_cell(struct around n, struct rule *rule, int which)
{
    (void) rule, (void) which;
    return life_cell(n);
}

INLINE vec masks_cell(struct around n, struct rule *rule, int which)
{
    return masked_cell(n, rule, which, 0);
}

INLINE vec masks_with_eight_cell(struct around n, struct rule *rule, int which)
{
    return masked_cell(n, rule, which, 1);
}

/* The rules with code of their own besides Life: name, birth, survive. */
#define NAMED_RULES(X) \
    X(highlife, 0x048, 0x00c) \
    X(seeds, 0x004, 0x000) \
    X(day_and_night, 0x1c8, 0x1d8) \
    X(life_without_death, 0x008, 0x1ff) \
    X(replicator, 0x0aa, 0x0aa) \
    X(two_by_two, 0x048, 0x026) \
    X(morley, 0x148, 0x034) \
    X(maze, 0x008, 0x03e)

STEP_LEVEL(b3s23)
STEP_LEVEL(masks)
STEP_LEVEL(masks_with_eight)
NAMED_RULES(FIXED_RULE)

/* Moves the last two columns of a block to the place before the next one. */
INLINE void keep_columns(vec *row)
{
    row[0] = row[NETWORK_BLOCK];
    row[1] = row[NETWORK_BLOCK + 1];
}

/* Replaces the row above by the next state of `row`. The workspace keeps the two columns that the block after it needs,
 * because the row above is overwritten. */
static void network_row(vec *restrict above, const vec *restrict row, const vec *restrict below, const struct shape *s,
                        const struct life2d_square_network *network)
{
    struct network_space space;
    const vec *const rows[3] = {above, row, below};
    const ptrdiff_t columns = (ptrdiff_t) s->columns;
    const uint32_t read = life2d_lines_read(network);
    for (int r = 0; r < 3; r++)
        space.cells[r][NETWORK_BLOCK] = rows[r][-1], space.cells[r][NETWORK_BLOCK + 1] = rows[r][0];
    network_lines(&space, read, NETWORK_BLOCK, 2);
    for (ptrdiff_t i = 0; i < columns; i += NETWORK_BLOCK) {
        const ptrdiff_t count = columns - i < NETWORK_BLOCK ? columns - i : NETWORK_BLOCK;
        for (int r = 0; r < 3; r++) {
            keep_columns(space.cells[r]);
            for (ptrdiff_t v = 1; v <= NETWORK_BLOCK; v++)
                space.cells[r][v + 1] = rows[r][v <= count ? i + v : columns];
        }
        for (int f = 0; f < LIFE2D_LINE_FUNCTIONS; f++)
            if (read >> f & 1)
                keep_columns(space.lines[f]);
        network_lines(&space, read, 2, NETWORK_BLOCK);
        memcpy(above + i, network_block(&space, network), (size_t) count * sizeof *above);
    }
    refresh_ghosts(above, s);
}

static void network_level(const struct ring *ring, uint64_t first, uint64_t last, struct fetch *fetch,
                          const struct shape *shape, const struct rule *rule)
{
    for (uint64_t n = first; n < last; n += 2) {
        fetch_some(fetch);
        network_row(ring_row(ring, n), ring_row(ring, n + 1), ring_row(ring, n + 2), shape, rule->network);
        network_row(ring_row(ring, n + 1), ring_row(ring, n + 2), ring_row(ring, n + 3), shape, rule->network);
    }
}

static void code_level(const struct ring *ring, uint64_t first, uint64_t last, struct fetch *fetch,
                       const struct shape *shape, const struct rule *rule)
{
    for (uint64_t n = first; n < last; n++) {
        vec *above = ring_row(ring, n);
        if ((n - first) % 2 == 0)
            fetch_some(fetch);
        rule->row_code(above, ring_row(ring, n + 1), ring_row(ring, n + 2), shape->columns);
        refresh_ghosts(above, shape);
    }
}

static step_level_fn *choose_step_level(const struct rule *rule)
{
#define ENTRY(name, birth, survive) {birth, survive, name##_level},
    static const struct {
        uint32_t birth, survive;
        step_level_fn *step;
    } known[] = {{0x008, 0x00c, b3s23_level}, NAMED_RULES(ENTRY)};
#undef ENTRY
    if (rule->network)
        return rule->row_code ? code_level : network_level;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (known[i].birth == rule->birth && known[i].survive == rule->survive)
            return known[i].step;
    return rule->eight[0] | rule->eight_live[0] ? masks_with_eight_level : masks_level;
}

#endif
