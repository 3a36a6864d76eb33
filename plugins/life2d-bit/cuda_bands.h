/* How the streaming form of 2D Life cuts a grid into bands of rows, and places them in the line of slots
 * (cuda_stream.cuh). On a torus the bands follow each other. A grid with dead edges has regions
 * (cuda_stream_edges.cuh): warps that clear cells have blocks of their own. */
#ifndef LIFE2D_CUDA_BANDS_H
#define LIFE2D_CUDA_BANDS_H

#include <common/divide.h>

#include <stdbool.h>
#include <stdint.h>

enum {
    LIFE2D_OWNERS = 30, /* slots that a warp owns */
    LIFE2D_STAGE = 4    /* rows that a warp marches over at a time */
};

/* ---- A torus --------------------------------------------------------------------------------- */

struct life2d_bands {
    uint32_t count, slots;
    uint32_t rows; /* of the highest band */
};

/* Cuts a torus of `groups` along x into `count` bands. 0: all warps of the bands run at the same time, so that they
 * start and end together: they have `owners` lanes that own a slot. A band has at least one row. */
static inline struct life2d_bands life2d_choose_bands(uint32_t groups, uint32_t height, uint64_t owners, uint32_t count)
{
    const uint32_t width = groups + 2;
    if (count == 0) {
        const uint64_t most = owners / width;
        count = most < 1 ? 1 : most > height ? height : (uint32_t) most;
        count = (uint32_t) divide_up(height, divide_up(height, count));
    }
    const struct life2d_bands b = {count, count * width, (uint32_t) divide_up(height, count)};
    return b;
}

/* ---- Dead edges ------------------------------------------------------------------------------ */

/* Parts of the rows between the edges: `more` of them have rows + 1 rows, the others `rows`. A part takes `width` slots,
 * of which those from the second on own columns. */
struct life2d_parts {
    uint32_t count, rows, more;
    uint32_t slot; /* at which the first part begins */
    uint32_t width, owned;
};

struct life2d_regions {
    uint32_t top,
        bottom;    /* the rows between: those above belong to the first band, those from `bottom` on to the last */
    uint32_t last; /* the slot at which the last band begins; the first one begins at 0 */
    struct life2d_parts strips, bands;
    uint32_t slots;
};

/* A grid, and the launch that takes `steps`. */
struct life2d_edged {
    uint32_t groups, tail, height, steps;
    bool dead_x, dead_y;
    uint32_t warps, blocks; /* warps of a block; blocks that run at the same time */
};

static inline struct life2d_parts life2d_cut_rows(uint32_t height, uint32_t rows, uint32_t slot, uint32_t width,
                                                  uint32_t owned)
{
    struct life2d_parts p = {0, 0, 0, slot, width, owned};
    if (height > 0 && owned > 0) {
        p.count = (uint32_t) divide_up(height, rows);
        p.rows = height / p.count, p.more = height % p.count;
    }
    return p;
}

/* The columns at the end of a row that the strips own: the last group if it is not full, and the one before it if that
 * gets cells from beyond the edge in a launch. */
static inline uint32_t life2d_strip_columns(const struct life2d_edged *g)
{
    if (!g->dead_x || g->tail == 128)
        return 0;
    return g->tail < g->steps && g->groups > 1 ? 2 : 1;
}

/* The rows that a warp which clears cells takes in the time of `rows` of others. It needs a fifth more instructions for
 * a row, and takes all levels through the rows above and below its own, where other warps begin with few. On an H200
 * the launch waits for these warps if they take 9/10 of the rows in place of 3/4, and it does not with 5/6. */
static inline uint32_t life2d_clearing_rows(const struct life2d_edged *g, uint32_t rows)
{
    const int64_t steps = g->steps, most = (rows + 5 * steps / 4) * 3 / 4 - 2 * steps - 3;
    return (uint32_t) (most < steps ? steps : most);
}

/* Places regions whose bands have at most `rows`, and whose first and last band and strips have `clearing`, which is at
 * least the steps of a launch, so that the bands between do not reach beyond the edges. `apart`: the first and the last
 * band and the strips begin at multiples of so many slots. */
static inline struct life2d_regions life2d_place_regions(const struct life2d_edged *g, uint32_t rows, uint32_t clearing,
                                                         uint32_t apart)
{
    struct life2d_regions r = {0, g->height, 0, {0, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 0}, 0};
    const uint32_t across = (uint32_t) divide_up(g->groups + 2, apart) * apart, ends = life2d_strip_columns(g);
    const uint32_t block = LIFE2D_OWNERS * g->warps;
    uint32_t slot = 0;
    if (g->dead_y) {
        r.top = clearing < g->height - g->height / 2 ? clearing : g->height - g->height / 2;
        r.bottom = g->height - r.top < r.top ? r.top : g->height - r.top;
        r.last = across;
        slot = r.bottom < g->height ? 2 * across : across;
    }
    r.strips = life2d_cut_rows(r.bottom - r.top, clearing, slot, ends + 1, ends);
    slot = (uint32_t) divide_up(slot + r.strips.count * r.strips.width, block) * block;
    r.bands = life2d_cut_rows(r.bottom - r.top, rows, slot, g->groups - ends + 2, g->groups - ends);
    r.slots = slot + r.bands.count * r.bands.width;
    return r;
}

/* A choice of regions, and the rows of a band that would take as long as the launch. */
struct life2d_choice {
    struct life2d_regions regions;
    uint64_t rows;
};

/* The blocks that the slots from `begin` on need. */
static inline uint64_t life2d_blocks(const struct life2d_edged *g, const struct life2d_regions *r, uint32_t begin)
{
    return divide_up(r->slots - begin, LIFE2D_OWNERS * g->warps);
}

/* Places regions that start and end together, in blocks that run at the same time. Their parts do not share blocks if
 * there are enough of them. `rows` of the choice is 0 if there are not enough for any. */
static inline struct life2d_choice life2d_place_together(const struct life2d_edged *g, uint32_t rows)
{
    const uint32_t clearing = life2d_clearing_rows(g, rows);
    struct life2d_choice c = {life2d_place_regions(g, rows, clearing, LIFE2D_OWNERS * g->warps), rows};
    if (life2d_blocks(g, &c.regions, 0) > g->blocks)
        c.regions = life2d_place_regions(g, rows, clearing, LIFE2D_OWNERS);
    if (life2d_blocks(g, &c.regions, 0) > g->blocks)
        c.rows = 0;
    return c;
}

/* Places regions of which those that need clearing have few rows. The bands start when these have ended. */
static inline struct life2d_choice life2d_place_in_turn(const struct life2d_edged *g, uint32_t rows)
{
    const struct life2d_regions r = life2d_place_regions(g, rows, g->steps, LIFE2D_OWNERS);
    const uint64_t before = divide_up(divide_up(r.bands.slot, LIFE2D_OWNERS * g->warps), g->blocks);
    const bool fits = life2d_blocks(g, &r, r.bands.slot) <= g->blocks;
    const struct life2d_choice c = {r, fits ? rows + before * 5 * g->steps : 0};
    return c;
}

/* Finds the lowest bands for which there are enough blocks. Warps march over whole stages. */
static inline struct life2d_choice life2d_find_lowest(const struct life2d_edged *g,
                                                      struct life2d_choice (*place)(const struct life2d_edged *g,
                                                                                    uint32_t rows))
{
    uint32_t low = g->steps / 2, high = low + (uint32_t) divide_up(g->height, LIFE2D_STAGE) + 1;
    struct life2d_choice lowest = place(g, LIFE2D_STAGE * high - 2 * g->steps);
    while (lowest.rows && high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const struct life2d_choice c = place(g, LIFE2D_STAGE * middle - 2 * g->steps);
        if (c.rows)
            lowest = c, high = middle;
        else
            low = middle;
    }
    return lowest;
}

/* Cuts a grid so that a launch takes the least time. If it is too wide for the device, blocks start when others have
 * ended. */
static inline struct life2d_regions life2d_fit_regions(const struct life2d_edged *g)
{
    const struct life2d_choice together = life2d_find_lowest(g, life2d_place_together);
    const struct life2d_choice in_turn = life2d_find_lowest(g, life2d_place_in_turn);
    return together.rows && (!in_turn.rows || together.rows <= in_turn.rows) ? together.regions : in_turn.regions;
}

/* `count`: 0, or the number of bands. */
static inline struct life2d_regions life2d_choose_regions(const struct life2d_edged *g, uint32_t count)
{
    if (count == 0)
        return life2d_fit_regions(g);
    const uint32_t rows = (uint32_t) divide_up(g->height, count);
    return life2d_place_regions(g, rows, life2d_clearing_rows(g, rows), LIFE2D_OWNERS);
}

#endif
