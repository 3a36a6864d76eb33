/* The kernels of one grid of life2d-bit/cuda on the host, against plain loops that share no code with them: on a torus,
 * and with dead edges along x, y and both. The resident kernel runs in one block here, which exchanges halos with
 * itself. */
#include "life_host.h"

#include <cstdio>

#define life2d_shared life_host_shared
#include <life2d-bit/cuda_bands.h>
#include <life2d-bit/cuda_resident_edges.cuh>
#include <life2d-bit/cuda_stream_edges.cuh>
#include <life2d-bit/cuda_stream_squares.cuh>

typedef std::vector<uint8_t> states;

struct grid {
    uint32_t width, height, dead; /* LIFE_DEAD_X, LIFE_DEAD_Y */
};

/* ---- Plain loops ------------------------------------------------------------------------------------------------ */

/* Bit s of the rule is the next state of the square s, whose upper left cell is its highest bit. */
struct rule {
    uint32_t bits[16];

    uint32_t of(uint32_t square) const
    {
        return bits[square / 32] >> square % 32 & 1;
    }
};

static rule counting(const masks &m)
{
    rule r = {};
    for (uint32_t s = 0; s < 512; s++) {
        const uint32_t cell = s >> 4 & 1, count = (uint32_t) __builtin_popcount(s) - cell;
        r.bits[s / 32] |= m.next(cell, count) << s % 32;
    }
    return r;
}

static states plain_steps(states now, const grid &g, const rule &r, uint32_t steps)
{
    for (; steps > 0; steps--) {
        states next(now.size());
        for (uint32_t y = 0; y < g.height; y++)
            for (uint32_t x = 0; x < g.width; x++) {
                uint32_t square = 0;
                for (uint32_t i = y + g.height - 1; i <= y + g.height + 1; i++)
                    for (uint32_t j = x + g.width - 1; j <= x + g.width + 1; j++) {
                        const bool beyond_x = j < g.width || j >= 2 * g.width;
                        const bool beyond_y = i < g.height || i >= 2 * g.height;
                        const bool dead = (beyond_x && (g.dead & LIFE_DEAD_X)) || (beyond_y && (g.dead & LIFE_DEAD_Y));
                        square = square * 2 + (dead ? 0 : now[i % g.height * g.width + j % g.width]);
                    }
                next[y * g.width + x] = (uint8_t) r.of(square);
            }
        now = next;
    }
    return now;
}

/* ---- Rules of the kernels --------------------------------------------------------------------------------------- */

/* A rule of squares; life_host.h has one that counts neighbours. */
struct rule_of_table {
    enum { WARM_UP = 2 };
    rule r;

    uint32_t next(const line &above, const line &here, const line &below, int i) const
    {
        const line *const rows[3] = {&above, &here, &below};
        uint32_t result = 0;
        for (int bit = 0; bit < 32; bit++) {
            uint32_t square = 0;
            for (const line *row : rows)
                for (int side = i - 1; side <= i + 1; side++) {
                    const uint32_t word = side < 0 ? row->row.left : side > 3 ? row->row.right : row->row.word[side];
                    square = square * 2 + (word >> bit & 1);
                }
            result |= r.of(square) << bit;
        }
        return result;
    }
};
template <> struct level_of<rule_of_table> {
    typedef square_level type;
};

/* ---- The kernels ------------------------------------------------------------------------------------------------ */

static uint32_t groups_of(const grid &g)
{
    return (g.width + 127) / 128;
}

/* Cell x of a row is bit x % 128 / 4 of word x % 4 of group x / 128. The bits beyond the width may be anything. */
static std::vector<uint32_t> pack(const states &from, const grid &g)
{
    const uint32_t words = groups_of(g) * 4;
    std::vector<uint32_t> to((size_t) (g.height * words));
    for (uint32_t y = 0; y < g.height; y++)
        for (uint32_t x = 0; x < groups_of(g) * 128; x++)
            to[y * words + x / 128 * 4 + x % 4] |= (uint32_t) (x < g.width ? from[y * g.width + x] : x % 3 == 0)
                                                   << x % 128 / 4;
    return to;
}

static states unpack(const std::vector<uint32_t> &from, const grid &g)
{
    const uint32_t words = groups_of(g) * 4;
    states to(g.width * g.height);
    for (uint32_t y = 0; y < g.height; y++)
        for (uint32_t x = 0; x < g.width; x++)
            to[y * g.width + x] = from[y * words + x / 128 * 4 + x % 4] >> x % 128 / 4 & 1;
    return to;
}

/* A launch: blocks of two warps, which have two schedulers or share one. `bands`: 0 lets the plugin choose for `blocks`
 * that run at the same time. */
struct cut {
    uint32_t bands, blocks, alone;
};

enum { BLOCK_WARPS = 2 };

static life2d_edged edged(const grid &g, const life2d_occupancy &occupancy)
{
    const uint32_t groups = groups_of(g);
    return {groups,   g.width - 128 * (groups - 1), g.height, (g.dead & LIFE_DEAD_X) != 0, (g.dead & LIFE_DEAD_Y) != 0,
            occupancy};
}

template <int LEVELS, class JOB, class RULE>
static states stream(const states &start, const grid &g, const RULE &rule, const cut &c, bool born_alone)
{
    std::vector<uint32_t> source = pack(start, g), result = guarded(source.size());
    const uint32_t groups = groups_of(g);
    JOB job = {};
    job.source = (const uint4 *) source.data(), job.result = (uint4 *) result.data();
    job.groups = groups, job.tail = g.width - 128 * (groups - 1), job.height = g.height;
    job.pitch = groups, job.end = groups * g.height;
    job.factors = {1, 0u - 2};
    const life2d_occupancy occupancy = {LEVELS, c.blocks, BLOCK_WARPS, c.alone};
    uint32_t warps, blocks;
    if constexpr (JOB::DEAD != 0) {
        const life2d_edged e = edged(g, occupancy);
        job.dead = g.dead, job.born_alone = born_alone;
        job.regions = life2d_choose_regions(&e, c.bands);
        job.slots = job.regions.slots;
        warps = job.regions.warps;
        blocks = job.regions.clearing + (uint32_t) life2d_band_blocks(&job.regions);
    } else {
        const life2d_bands b = life2d_choose_bands(groups, g.height, &occupancy, c.bands);
        job.bands = b.count, job.slots = b.slots;
        job.rows = (int32_t) b.rows + 2 * LEVELS;
        warps = b.warps;
        blocks = (b.slots + LIFE2D_OWNERS * b.warps - 1) / (LIFE2D_OWNERS * b.warps);
    }
    enum { RING = 2 };
    launch_here([=] { stream_grid<LEVELS, RING>(job, rule); }, blocks, warps * 32);
    return is_guarded(result) ? unpack(result, g) : states();
}

template <int ROWS, int WARPS, class JOB, class RULE>
static states stay(const states &start, const grid &g, const RULE &rule, uint32_t halo, uint32_t steps)
{
    std::vector<uint32_t> source = pack(start, g), result = guarded(source.size());
    JOB job = {};
    job.source = (const uint4 *) source.data(), job.result = (uint4 *) result.data();
    job.groups = groups_of(g), job.tail = g.width - 128 * (job.groups - 1), job.height = g.height;
    job.pitch = job.groups;
    job.halo = min(halo, g.height);
    job.columns = job.groups + (job.tail < 128 && !(g.dead & LIFE_DEAD_X) ? 2 : 0);
    job.steps = steps;
    std::vector<ulonglong2> slots(2 * 2 * job.halo * job.columns * 2);
    job.slots = slots.data();
    if constexpr (JOB::DEAD != 0)
        job.dead = g.dead;
    const uint32_t strips = 32 / job.columns * (uint32_t) ROWS;
    const uint32_t warps = (g.height + 2 * job.halo + strips - 1) / strips;
    if (warps > WARPS)
        return states();
    launch_here([=] { stay_resident<ROWS, WARPS>(job, rule); }, 1, warps * 32);
    return is_guarded(result) ? unpack(result, g) : states();
}

/* ---- The test --------------------------------------------------------------------------------------------------- */

static int wrong = 0;

static states soup(const grid &g)
{
    uint32_t random = g.width * 31 + g.height;
    states start(g.width * g.height);
    for (uint8_t &cell : start)
        random = random * 1664525 + 1013904223, cell = random >> 28 < 6;
    return start;
}

static void report(bool right, const char *form, const grid &g, uint32_t number)
{
    wrong += !right;
    printf("%s - %s, %u x %u, dead axes %u, %u\n", right ? "ok" : "not ok", form, g.width, g.height, g.dead, number);
}

static const masks rules[] = {{1u << 3, 3u << 2}, {3, 3u << 2}, {0x152, 0x0b5}}; /* B3/S23, B01/S23, … */

template <int LEVELS, class JOB> static bool streams(const grid &g, const cut &c)
{
    const states start = soup(g);
    bool right =
        stream<LEVELS, JOB>(start, g, rule_life(), c, false) == plain_steps(start, g, counting(rules[0]), LEVELS);
    for (const masks &r : rules)
        right = right && stream<LEVELS, JOB>(start, g, rule_counting{r}, c, r.birth & 1) ==
                             plain_steps(start, g, counting(r), LEVELS);
    rule_of_table table = {};
    for (uint32_t i = 0; i < 16; i++)
        table.r.bits[i] = (i + 1) * 2654435761u | 1;
    for (int alone = 1; alone >= 0 && LEVELS <= 4; alone--) {
        table.r.bits[0] = (table.r.bits[0] & ~1u) | (uint32_t) alone;
        right = right && stream<LEVELS, JOB>(start, g, table, c, alone) == plain_steps(start, g, table.r, LEVELS);
    }
    return right;
}

template <int LEVELS> static void compare_streams(const grid &g, const cut &c)
{
    const bool right = g.dead & LIFE_DEAD_X ? streams<LEVELS, dead_stream_job<1>>(g, c)
                       : g.dead             ? streams<LEVELS, dead_stream_job<0>>(g, c)
                                            : streams<LEVELS, stream_job>(g, c);
    report(right, "streaming", g, c.bands ? c.bands : c.blocks);
    if (!g.dead && g.width % 128 == 0)
        report(streams<LEVELS, stream_launch>(g, c), "streaming, whole groups", g, c.bands ? c.bands : c.blocks);
}

template <int ROWS, int WARPS, class JOB> static bool stays(const grid &g, uint32_t halo)
{
    const states start = soup(g);
    bool right = true;
    for (const masks &r : rules)
        for (uint32_t steps : {1, 11})
            right = right && stay<ROWS, WARPS, JOB>(start, g, rule_counting{r}, halo, steps) ==
                                 plain_steps(start, g, counting(r), steps);
    return right;
}

template <int ROWS, int WARPS> static void compare_residents(const grid &g, uint32_t halo)
{
    const bool right = g.dead & LIFE_DEAD_X ? stays<ROWS, WARPS, dead_resident_job<1>>(g, halo)
                       : g.dead             ? stays<ROWS, WARPS, dead_resident_job<0>>(g, halo)
                                            : stays<ROWS, WARPS, resident_job>(g, halo);
    report(right, "resident", g, halo);
    if (!g.dead && g.width % 128 == 0)
        report(stays<ROWS, WARPS, resident_launch>(g, halo), "resident, whole groups", g, halo);
}

/* The parts follow each other, none is empty, and together they have `height` rows. */
static bool parts_cover(const life2d_parts &p, uint32_t height, uint32_t most)
{
    if (p.count == 0)
        return true;
    return p.rows >= 1 && p.rows + (p.more > 0) <= most && p.more < p.count &&
           (uint64_t) p.count * p.rows + p.more == height;
}

/* The regions of a launch cover the grid, bands do not reach beyond its edges, and all bands run at the same time where
 * this is possible with bands of 128 rows. */
static bool regions_cover(const life2d_edged &e)
{
    const life2d_regions r = life2d_choose_regions(&e, 0);
    const uint32_t between = r.bottom - r.top, ends = r.strips.count ? r.strips.owned : 0;
    bool right = r.top <= r.bottom && r.bottom <= e.height && (e.dead_y ? r.top > 0 : between == e.height);
    right = right && parts_cover(r.strips, e.height, e.height) && parts_cover(r.bands, between, e.height) &&
            parts_cover(r.first, r.top, e.height) && parts_cover(r.last, e.height - r.bottom, e.height);
    right = right && (ends > 0) == (e.dead_x && e.tail < 128) && (ends < e.groups || between == 0 || !r.bands.count);
    for (const life2d_parts *p : {&r.first, &r.last, &r.bands})
        right = right && (p->count ? p->owned + ends == e.groups : true);
    if (between > 0) {
        right = right && (r.bands.count > 0) == (ends < e.groups);
        right = right && (!e.dead_y || (r.top >= e.occupancy.steps && e.height - r.bottom >= e.occupancy.steps));
    }
    const uint64_t owners = LIFE2D_OWNERS * e.occupancy.blocks;
    const life2d_way way = {e.occupancy.warps, e.occupancy.warps, true};
    const life2d_regions high = life2d_place_regions(&e, &way, 128);
    const bool fits = r.slots - r.bands.slot <= owners * r.warps;
    return right && r.bands.slot == LIFE2D_OWNERS * r.active * r.clearing && r.active <= r.warps &&
           r.clearing % 2 == 0 && r.first.count * r.first.width <= r.last.slot &&
           r.last.slot + r.last.count * r.last.width <= r.strips.slot &&
           r.strips.slot + r.strips.count * r.strips.width <= r.bands.slot &&
           (fits || high.slots - high.bands.slot > owners * e.occupancy.warps);
}

/* The bands of a torus are not empty, and all run at the same time, unless there is one. */
static bool bands_cover(uint32_t groups, uint32_t height, const life2d_occupancy &occupancy)
{
    const life2d_bands b = life2d_choose_bands(groups, height, &occupancy, 0);
    const uint64_t owners = (uint64_t) LIFE2D_OWNERS * occupancy.blocks * b.warps;
    return b.count >= 1 && b.count <= height && (b.slots <= owners || b.count == 1) &&
           (b.warps == occupancy.warps || b.warps == occupancy.alone) && b.slots == b.count * (groups + 2) &&
           (uint64_t) b.rows * b.count >= height && (uint64_t) b.rows * b.count < (uint64_t) height + b.count;
}

static void compare_bands()
{
    bool torus = true, dead = true;
    for (uint32_t groups : {1u, 2u, 64u, 128u, 512u, 15838u, 15839u, 40000u})
        for (uint32_t height : {1u, 2u, 3u, 16u, 17u, 1000u, 8192u, 16384u, 65536u}) {
            for (uint32_t steps : {1u, 2u, 4u, 8u}) {
                const life2d_occupancy occupancy = {steps, 132, 8, 4};
                torus = torus && bands_cover(groups, height, occupancy);
                for (uint32_t tail : {1u, 8u, 127u, 128u})
                    for (int axes = 1; axes < 4; axes++)
                        dead =
                            dead && regions_cover({groups, tail, height, (axes & 1) != 0, (axes & 2) != 0, occupancy});
            }
        }
    report(torus, "bands", {0, 0, 0}, 132);
    report(dead, "regions", {0, 0, 3}, 132);
}

/* A torus has at least 256 columns here, as the plugin makes narrower ones so wide. */
int main()
{
    static const uint32_t sizes[][2] = {{1, 1},    {5, 7},    {128, 9},  {130, 20}, {127, 33},
                                        {256, 40}, {391, 23}, {1000, 5}, {390, 44}};
    for (uint32_t dead = 0; dead < 4; dead++)
        for (const uint32_t(&s)[2] : sizes) {
            const grid g = {s[0] < 256 && !(dead & LIFE_DEAD_X) ? s[0] + 256 : s[0], s[1], dead};
            for (const cut &c : {cut{3, 0, 1}, cut{g.height, 0, 2}, cut{0, 1, 1}, cut{0, 4, 1}, cut{0, 4, 2}})
                if (c.bands <= g.height) {
                    compare_streams<8>(g, c);
                    compare_streams<4>(g, c);
                    compare_streams<1>(g, c);
                }
            compare_residents<5, 12>(g, 8);
            compare_residents<1, 16>(g, 3);
            compare_residents<3, 16>(g, 4);
        }
    compare_bands();
    return wrong > 0;
}
