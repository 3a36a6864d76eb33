/* Which tiles of a grid repeat, and which of them a step therefore need not compute.
 *
 * A tile has a period p if its cells are now what they were p steps ago. If the tile and all cells on which it depends
 * for n steps have the period p, it has this period n steps later, too. If n is a multiple of p, the tile is then what
 * it is now: nobody has to compute it. This holds for every rule in which a cell depends on cells near it, and on
 * nothing else.
 *
 * A pass takes steps on all tiles that are needed, and leaves the others alone. For each period and each tile,
 * `moving` says whether the tile may lack the period, and where. A pass that takes a multiple of a period:
 *
 *     settled_mark       marks the tiles within reach of cells that may lack the period: they are needed
 *     settled_count      counts them, line by line
 *     the plugin         takes the steps of the needed tiles, compares each with itself one period before, and tells
 *                        settled_found where it differs. settled_finish_line follows when a line of tiles is done
 *     settled_spread     for each period longer than the pass: what was within reach may now lack it
 *
 * A plugin with two buffers may take one step a pass: the buffer that it writes holds the state two steps before the
 * result, so it compares with this one, and the period 2 needs no settled_spread.
 *
 * The functions work on lines of tiles along x, so that threads may share a pass. All threads wait for each other
 * between these functions.
 *
 *     moving:   . . . . .          needed:   . x x . .        The changed cells lie near the right and the lower
 *               . # . . .     ->             . x x . .        edge of their tile (SETTLED_HIGH), so they reach the
 *               . . . . .                    . . . . .        tiles there (y grows upwards in this drawing.)
 */
#ifndef COMMON_SETTLED_H
#define COMMON_SETTLED_H

#include <stdint.h>
#include <string.h>

/* The periods. Most of what is left of a soup of Life has period 1 or 2, and nearly all of the rest period 3. */
enum { SETTLED_PERIODS = 3, SETTLED_STEPS = 12 };
static const unsigned settled_periods[SETTLED_PERIODS] = {SETTLED_STEPS, 2, 1};

/* Where a tile may lack a period: 0: nowhere; else SETTLED_CHANGED, with SETTLED_LOW(axis) or SETTLED_HIGH(axis) if
 * this is so within reach of its lower or higher end along the axis. */
enum { SETTLED_CHANGED = 1, SETTLED_ALL = 127 };
#define SETTLED_LOW(axis)  (2u << 2 * (axis))
#define SETTLED_HIGH(axis) (4u << 2 * (axis))

/* Tile i begins at cell i * edge. The last tile begins earlier where it would not fit, and shares cells with the one
 * before. */
struct settled_axis {
    uint64_t cells, edge; /* an axis that the grid does not have: 1 and 1; others: at least 4 tiles */
    int torus;            /* otherwise nothing beyond the ends changes */
    uint64_t tiles;
};

struct settled {
    struct settled_axis axis[3];
    uint64_t reach; /* cells that a pass reaches; at most an edge */
    uint64_t lines, tiles;
    uint8_t *moving[SETTLED_PERIODS];       /* for each tile */
    uint64_t *line_moving[SETTLED_PERIODS]; /* for each line: how many of its tiles may lack the period */
    uint8_t *needed;                        /* for each tile; settled_finish_line clears it */
    uint64_t *line_needed;                  /* for each line: the number of its needed tiles */
};

static inline uint64_t settled_begin(const struct settled_axis *axis, uint64_t tile)
{
    const uint64_t begin = tile * axis->edge;
    return begin + axis->edge <= axis->cells ? begin : axis->cells - axis->edge;
}

/* The bytes of memory for the maps. The caller has set cells, edge and torus of each axis, and this sets the rest. */
static inline uint64_t settled_bytes(struct settled *s)
{
    for (int i = 0; i < 3; i++)
        s->axis[i].tiles = (s->axis[i].cells + s->axis[i].edge - 1) / s->axis[i].edge;
    s->lines = s->axis[1].tiles * s->axis[2].tiles;
    s->tiles = s->lines * s->axis[0].tiles;
    return s->lines * sizeof *s->line_needed * (1 + SETTLED_PERIODS) + s->tiles * (1 + SETTLED_PERIODS);
}

/* Nothing is known to have any period. */
static inline void settled_forget(struct settled *s)
{
    for (int i = 0; i < SETTLED_PERIODS; i++) {
        memset(s->moving[i], SETTLED_ALL, s->tiles);
        for (uint64_t line = 0; line < s->lines; line++)
            s->line_moving[i][line] = s->axis[0].tiles;
    }
}

/* Uses memory of settled_bytes bytes, aligned to 8. settled_forget must follow before the first pass. */
static inline void settled_open(struct settled *s, void *memory)
{
    s->line_needed = (uint64_t *) memory;
    uint8_t *at = (uint8_t *) (s->line_needed + s->lines * (1 + SETTLED_PERIODS));
    for (int i = 0; i < SETTLED_PERIODS; i++, at += s->tiles) {
        s->line_moving[i] = s->line_needed + s->lines * (uint64_t) (1 + i);
        s->moving[i] = at;
    }
    s->needed = at;
    memset(s->line_needed, 0, s->lines * sizeof *s->line_needed);
    memset(s->needed, 0, s->tiles);
}

/* Tiles along an axis: first, first + 1, … They continue with tile 0 after the last tile. */
struct settled_span {
    uint64_t first, count;
};

/* The tiles that have one of the cells within reach of what changed in a tile. */
static inline struct settled_span settled_span_of(const struct settled *s, int i, uint64_t tile, unsigned where)
{
    const struct settled_axis *axis = &s->axis[i];
    const uint64_t begin = settled_begin(axis, tile), n = axis->cells;
    const uint64_t low = where & SETTLED_LOW(i) ? s->reach : 0, high = where & SETTLED_HIGH(i) ? s->reach : 0;
    uint64_t from = begin + n - low, last = begin + axis->edge - 1 + high;
    if (axis->tiles == 1)
        return (struct settled_span){0, 1};
    from = !axis->torus && from < n ? 0 : from % n;
    last = !axis->torus && last >= n ? n - 1 : last % n;
    const uint64_t first = from / axis->edge, end = last + axis->edge >= n ? axis->tiles : last / axis->edge + 1;
    return (struct settled_span){first, end > first ? end - first : end + axis->tiles - first};
}

/* Several threads may mark the same tile. */
static inline void settled_mark_around(struct settled *s, uint64_t x, uint64_t y, uint64_t z, unsigned where)
{
    const struct settled_span a = settled_span_of(s, 0, x, where), b = settled_span_of(s, 1, y, where),
                              c = settled_span_of(s, 2, z, where);
    for (uint64_t k = 0; k < c.count; k++)
        for (uint64_t j = 0; j < b.count; j++) {
            const uint64_t line =
                (c.first + k) % s->axis[2].tiles * s->axis[1].tiles + (b.first + j) % s->axis[1].tiles;
            uint8_t *needed = s->needed + line * s->axis[0].tiles;
            __atomic_store_n(&s->line_needed[line], 1, __ATOMIC_RELAXED);
            for (uint64_t i = 0; i < a.count; i++) {
                const uint64_t tile = a.first + i;
                __atomic_store_n(&needed[tile < s->axis[0].tiles ? tile : tile - s->axis[0].tiles], 1,
                                 __ATOMIC_RELAXED);
            }
        }
}

/* The first of the bytes at, at + 1, … that is not 0; `end` if all are. */
static inline uint64_t settled_next(const uint8_t *bytes, uint64_t at, uint64_t end)
{
    for (uint64_t eight; at + 8 <= end; at += 8) {
        memcpy(&eight, bytes + at, 8);
        if (eight)
            break;
    }
    while (at < end && !bytes[at])
        at++;
    return at;
}

/* Marks the tiles within reach of those in lines [first, end) that may lack period i. */
static inline void settled_mark(struct settled *s, int i, uint64_t first, uint64_t end)
{
    const uint64_t n = s->axis[0].tiles, rows = s->axis[1].tiles;
    for (uint64_t line = first; line < end; line++) {
        const uint8_t *moving = s->moving[i] + line * n;
        if (s->line_moving[i][line])
            for (uint64_t x = settled_next(moving, 0, n); x < n; x = settled_next(moving, x + 1, n))
                settled_mark_around(s, x, line % rows, line / rows, moving[x]);
    }
}

/* Counts the needed tiles in each of the lines [first, end). */
static inline void settled_count(struct settled *s, uint64_t first, uint64_t end)
{
    const uint64_t n = s->axis[0].tiles;
    for (uint64_t line = first; line < end; line++) {
        const uint8_t *needed = s->needed + line * n;
        uint64_t count = 0, x = 0;
        for (uint64_t eight; s->line_needed[line] && x + 8 <= n; x += 8) {
            memcpy(&eight, needed + x, 8);
            count += eight * UINT64_C(0x0101010101010101) >> 56; /* the sum of its bytes, which are 0 or 1 */
        }
        for (; s->line_needed[line] && x < n; x++)
            count += needed[x];
        s->line_needed[line] = count;
    }
}

/* The number of needed tiles. */
static inline uint64_t settled_total(const struct settled *s)
{
    uint64_t total = 0;
    for (uint64_t line = 0; line < s->lines; line++)
        total += s->line_needed[line];
    return total;
}

/* A needed tile was computed, and differs from itself one period i before as `where` says. */
static inline void settled_found(struct settled *s, int i, uint64_t line, uint64_t x, unsigned where)
{
    uint8_t *moving = &s->moving[i][line * s->axis[0].tiles + x];
    s->line_moving[i][line] += (uint64_t) (where != 0) - (uint64_t) (*moving != 0);
    *moving = (uint8_t) where;
}

/* All needed tiles of the line are computed, or none of them will be. */
static inline void settled_finish_line(struct settled *s, uint64_t line)
{
    if (s->line_needed[line])
        memset(s->needed + line * s->axis[0].tiles, 0, s->axis[0].tiles);
    s->line_needed[line] = 0;
}

/* After settled_mark for period i: the marked tiles of lines [first, end) may lack the period. */
static inline void settled_spread(struct settled *s, int i, uint64_t first, uint64_t end)
{
    const uint64_t n = s->axis[0].tiles;
    for (uint64_t line = first; line < end; line++) {
        const uint8_t *needed = s->needed + line * n;
        if (s->line_needed[line])
            for (uint64_t x = settled_next(needed, 0, n); x < n; x = settled_next(needed, x + 1, n))
                settled_found(s, i, line, x, SETTLED_ALL);
        settled_finish_line(s, line);
    }
}

#endif
