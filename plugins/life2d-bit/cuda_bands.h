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

/* ---- Time ------------------------------------------------------------------------------------ */

/* A launch that takes `steps`. */
struct life2d_occupancy {
    uint32_t steps;
    uint32_t blocks; /* that run at the same time */
    uint32_t warps;  /* of a block, at most */
    uint32_t alone;  /* warps of a block that each have a scheduler for themselves */
};

/* The time that a warp takes for a row through all levels, if a block has `warps`. Two warps that share a scheduler take
 * almost twice as long for a row as one that is alone. */
static inline uint32_t life2d_row_time(const struct life2d_occupancy *occupancy, uint32_t warps)
{
    const uint32_t time_alone = 23, share = 20;
    return warps <= occupancy->alone ? time_alone : (uint32_t) divide_up((uint64_t) share * warps, occupancy->alone);
}

/* The rows during which levels join. They take as long as if the warp were alone. */
static inline uint32_t life2d_warm_rows(const struct life2d_occupancy *occupancy)
{
    return occupancy->steps > 2 ? 2 * occupancy->steps - LIFE2D_STAGE : 0;
}

static inline uint64_t life2d_round_up(uint64_t a, uint64_t b)
{
    return divide_up(a, b) * b;
}

/* The rows of a march over whole stages. */
static inline uint64_t life2d_whole_stages(uint64_t rows)
{
    return life2d_round_up(rows, LIFE2D_STAGE);
}

/* The time of a march that finishes `rows`, and begins some steps above them. */
static inline uint64_t life2d_march_time(const struct life2d_occupancy *occupancy, uint64_t rows, uint32_t row_time)
{
    const uint32_t warm = life2d_warm_rows(occupancy);
    return (uint64_t) warm * life2d_row_time(occupancy, occupancy->alone) +
           (life2d_whole_stages(rows + 2 * occupancy->steps) - warm) * row_time;
}

/* The time of bands in blocks of `warps`. */
static inline uint64_t life2d_band_time(const struct life2d_occupancy *occupancy, uint64_t rows, uint32_t warps)
{
    return life2d_march_time(occupancy, rows, life2d_row_time(occupancy, warps));
}

/* ---- A torus --------------------------------------------------------------------------------- */

struct life2d_bands {
    uint32_t count, slots;
    uint32_t rows;  /* of the highest band */
    uint32_t warps; /* of a block */
};

static inline struct life2d_bands life2d_cut_torus(uint32_t groups, uint32_t height, uint32_t count, uint32_t warps)
{
    const struct life2d_bands b = {count, count * (groups + 2), (uint32_t) divide_up(height, count), warps};
    return b;
}

/* Cuts a torus into as many bands as `warps` a block can take at the same time, so that they start and end together. A
 * band has at least one row. */
static inline struct life2d_bands life2d_fill_torus(uint32_t groups, uint32_t height,
                                                    const struct life2d_occupancy *occupancy, uint32_t warps)
{
    const uint64_t most = (uint64_t) LIFE2D_OWNERS * warps * occupancy->blocks / (groups + 2);
    const uint32_t count = most < 1 ? 1 : most > height ? height : (uint32_t) most;
    return life2d_cut_torus(groups, height, (uint32_t) divide_up(height, divide_up(height, count)), warps);
}

/* Cuts a torus of `groups` along x into `count` bands, or so that a launch takes the least time if that is 0. */
static inline struct life2d_bands life2d_choose_bands(uint32_t groups, uint32_t height,
                                                      const struct life2d_occupancy *occupancy, uint32_t count)
{
    if (count > 0)
        return life2d_cut_torus(groups, height, count, occupancy->warps);
    const struct life2d_bands shared = life2d_fill_torus(groups, height, occupancy, occupancy->warps);
    const struct life2d_bands alone = life2d_fill_torus(groups, height, occupancy, occupancy->alone);
    const bool fits = divide_up(alone.slots, LIFE2D_OWNERS * occupancy->alone) <= occupancy->blocks;
    const uint64_t time_alone = life2d_band_time(occupancy, alone.rows, occupancy->alone);
    return fits && time_alone < life2d_band_time(occupancy, shared.rows, occupancy->warps) ? alone : shared;
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
    uint32_t top, bottom;              /* the rows between */
    struct life2d_parts first, last;   /* the rows above and below */
    struct life2d_parts strips, bands; /* strips: all rows; bands: the rows between */
    uint32_t slots;
    uint32_t clearing, active; /* blocks that clear cells, an even number; their warps that own slots */
    uint32_t warps;            /* of each block; of the others, all own slots */
    uint32_t before;           /* blocks of other warps that start before those that clear */
};

/* A grid, and the launch. */
struct life2d_edged {
    uint32_t groups, tail, height;
    bool dead_x, dead_y;
    struct life2d_occupancy occupancy;
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
    return g->tail < g->occupancy.steps && g->groups > 1 ? 2 : 1;
}

/* How the warps of a launch are divided. */
struct life2d_way {
    uint32_t warps, active; /* as in struct life2d_regions */
    bool in_turn;           /* blocks that clear start when others of them have ended; else all run together */
};

/* The rows of bands and strips. */
struct life2d_heights {
    uint32_t first, last, strips, bands;
};

/* A warp that clears cells takes a quarter more time for a row. */
static inline uint32_t life2d_clearing_time(const struct life2d_edged *g, uint32_t active)
{
    return life2d_row_time(&g->occupancy, active) * 5 / 4;
}

/* The rows that a march over whole stages finishes, if it has `more` others. */
static inline uint32_t life2d_finished_rows(uint32_t march, uint32_t more, uint32_t least)
{
    const uint32_t rows = march / LIFE2D_STAGE * LIFE2D_STAGE;
    return rows > more + least ? rows - more : least;
}

/* Finds the most rows of regions that need clearing, so that these end with bands of `rows`. Levels join in the last
 * bands alone. The first band starts at its first row. */
static inline struct life2d_heights life2d_match_heights(const struct life2d_edged *g, const struct life2d_way *way,
                                                         uint32_t rows)
{
    const uint32_t steps = g->occupancy.steps, stage = LIFE2D_STAGE;
    const uint64_t time = way->in_turn ? 0 : life2d_band_time(&g->occupancy, rows, way->warps);
    const uint32_t row_time = life2d_clearing_time(g, way->active), march = (uint32_t) (time / row_time);
    const uint32_t warm = life2d_warm_rows(&g->occupancy),
                   joining = warm * life2d_row_time(&g->occupancy, g->occupancy.alone);
    const uint32_t after = time > joining ? (uint32_t) (time - joining) / row_time : 0;
    const struct life2d_heights h = {life2d_finished_rows(march, steps, steps),
                                     life2d_finished_rows(warm + after, 2 * steps, steps < stage ? steps : stage),
                                     life2d_finished_rows(march, 2 * steps, stage), rows};
    return h;
}

/* The blocks of the bands between. */
static inline uint64_t life2d_band_blocks(const struct life2d_regions *r)
{
    return divide_up(r->slots - r->bands.slot, LIFE2D_OWNERS * r->warps);
}

/* The slot behind parts, at a multiple of `apart`. */
static inline uint32_t life2d_end(const struct life2d_parts *p, uint32_t apart)
{
    return (uint32_t) life2d_round_up(p->slot + p->count * p->width, apart);
}

/* Places regions. The bands between must not reach beyond the edges: the rows above and below them are at least the steps
 * of a launch. `apart`: the regions begin at multiples of so many slots. */
static inline struct life2d_regions life2d_place_apart(const struct life2d_edged *g, const struct life2d_way *way,
                                                       const struct life2d_heights *h, uint32_t apart)
{
    const uint32_t ends = life2d_strip_columns(g), owned = g->groups - ends, width = owned + 2;
    const uint32_t half = g->height - g->height / 2, last = h->last > g->occupancy.steps ? h->last : g->occupancy.steps;
    struct life2d_regions r;
    r.active = way->active, r.warps = way->warps;
    r.top = !g->dead_y ? 0 : h->first < half ? h->first : half;
    r.bottom = !g->dead_y ? g->height : g->height - r.top < last ? r.top : g->height - last;
    r.first = life2d_cut_rows(r.top, h->first, 0, width, owned);
    r.last = life2d_cut_rows(g->height - r.bottom, h->last, life2d_end(&r.first, apart), width, owned);
    r.strips = life2d_cut_rows(g->height, h->strips, life2d_end(&r.last, apart), ends + 1, ends);
    const uint32_t pair = 2 * LIFE2D_OWNERS * way->active;
    r.clearing = life2d_end(&r.strips, pair) / (pair / 2);
    r.bands = life2d_cut_rows(r.bottom - r.top, h->bands, life2d_end(&r.strips, pair), width, owned);
    r.slots = life2d_end(&r.bands, 1);
    r.before = way->in_turn ? (uint32_t) life2d_band_blocks(&r) : 0;
    return r;
}

/* Places regions with bands of `rows` between. Those that need clearing do not share blocks if there are enough. */
static inline struct life2d_regions life2d_place_regions(const struct life2d_edged *g, const struct life2d_way *way,
                                                         uint32_t rows)
{
    const struct life2d_heights h = life2d_match_heights(g, way, rows);
    if (!way->in_turn) {
        const struct life2d_regions r = life2d_place_apart(g, way, &h, LIFE2D_OWNERS * way->active);
        if (r.clearing + life2d_band_blocks(&r) <= g->occupancy.blocks)
            return r;
    }
    return life2d_place_apart(g, way, &h, LIFE2D_OWNERS);
}

static inline bool life2d_fits(const struct life2d_edged *g, const struct life2d_way *way,
                               const struct life2d_regions *r)
{
    return life2d_band_blocks(r) + (way->in_turn ? 0 : r->clearing) <= g->occupancy.blocks;
}

static inline uint32_t life2d_highest(const struct life2d_parts *p)
{
    return p->rows + (p->more > 0);
}

/* The time of the blocks that clear cells. */
static inline uint64_t life2d_time_to_clear(const struct life2d_edged *g, const struct life2d_regions *r)
{
    const uint32_t row_time = life2d_clearing_time(g, r->active), steps = g->occupancy.steps;
    const uint32_t strips = r->strips.count ? life2d_highest(&r->strips) + 2 * steps : 0;
    const uint64_t all = life2d_whole_stages(strips > r->top + steps ? strips : r->top + steps) * row_time;
    const uint64_t last = r->last.count ? life2d_march_time(&g->occupancy, life2d_highest(&r->last), row_time) : 0;
    return r->clearing == 0 ? 0 : last > all ? last : all;
}

/* The time of a launch whose bands all run at the same time. The other blocks run beside them, or after them. */
static inline uint64_t life2d_launch_time(const struct life2d_edged *g, const struct life2d_regions *r)
{
    const uint64_t bands = r->bands.count ? life2d_band_time(&g->occupancy, life2d_highest(&r->bands), r->warps) : 0;
    const uint64_t clear = life2d_time_to_clear(g, r);
    const uint64_t left = g->occupancy.blocks - life2d_band_blocks(r);
    if (left == 0)
        return bands + divide_up(r->clearing, g->occupancy.blocks) * clear;
    const uint64_t beside = divide_up(r->clearing, left) * clear;
    return bands > beside ? bands : beside;
}

/* Regions, and their time; it is 0 if there are not enough blocks. */
struct life2d_choice {
    struct life2d_regions regions;
    uint64_t time;
};

static inline struct life2d_choice life2d_try_stages(const struct life2d_edged *g, const struct life2d_way *way,
                                                     uint32_t stages)
{
    struct life2d_choice c = {life2d_place_regions(g, way, LIFE2D_STAGE * stages - 2 * g->occupancy.steps), 0};
    if (life2d_fits(g, way, &c.regions))
        c.time = life2d_launch_time(g, &c.regions);
    return c;
}

/* Finds the lowest bands for which there are enough blocks. */
static inline struct life2d_choice life2d_find_lowest(const struct life2d_edged *g, const struct life2d_way *way)
{
    uint32_t low = g->occupancy.steps / 2, high = low + (uint32_t) divide_up(g->height, LIFE2D_STAGE) + 1;
    struct life2d_choice lowest = life2d_try_stages(g, way, high);
    while (lowest.time && high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        const struct life2d_choice c = life2d_try_stages(g, way, middle);
        if (c.time)
            lowest = c, high = middle;
        else
            low = middle;
    }
    return lowest;
}

/* Cuts a grid into regions so that a launch takes the least time, or with `count` bands if that is not 0. If the grid is
 * too wide for the device, blocks start when others have ended. */
static inline struct life2d_regions life2d_choose_regions(const struct life2d_edged *g, uint32_t count)
{
    const uint32_t warps = g->occupancy.warps, alone = g->occupancy.alone;
    const struct life2d_way ways[] = {
        {warps, warps, true}, {warps, warps, false}, {warps, alone, false}, {alone, alone, false}};
    if (count > 0)
        return life2d_place_regions(g, &ways[2], (uint32_t) divide_up(g->height, count));
    struct life2d_choice best = life2d_find_lowest(g, &ways[0]);
    for (uint32_t i = 1; i < sizeof ways / sizeof ways[0]; i++) {
        const struct life2d_choice c = life2d_find_lowest(g, &ways[i]);
        if (c.time && (!best.time || c.time <= best.time))
            best = c;
    }
    return best.regions;
}

#endif
