/* The kernels of life3d-packed/cuda on the host, against plain loops that share no code with them: on a torus, and with
 * dead edges along each axis and several. The resident kernel runs in one block here, which exchanges its halo with
 * itself. */
#include "life_host.h"

#include <cstdio>
#include <type_traits>

#define packed_shared life_host_shared
#include <life3d-packed/cuda_resident_edges.cuh>
#include <life3d-packed/cuda_stream_edges.cuh>

typedef std::vector<uint8_t> states;

struct grid {
    uint32_t width, height, depth, dead; /* LIFE_DEAD_X and so on */

    uint32_t cells() const
    {
        return width * height * depth;
    }
    uint32_t groups() const
    {
        return (width + 127) / 128;
    }
    uint32_t tail() const
    {
        return width - 128 * (groups() - 1);
    }
};

/* ---- Plain loops ------------------------------------------------------------------------------------------------ */

/* The coordinate beside `at`, or -1 beyond a dead edge. */
static int64_t beside(uint32_t at, int distance, uint32_t extent, bool dead)
{
    const int64_t place = (int64_t) at + distance;
    return place >= 0 && place < extent ? place : dead ? -1 : (place + extent) % extent;
}

static uint32_t count(const states &now, const grid &g, uint32_t x, uint32_t y, uint32_t z)
{
    uint32_t alive = 0;
    for (int i = 0; i < 27; i++) {
        const int64_t u = beside(x, i % 3 - 1, g.width, g.dead & LIFE_DEAD_X);
        const int64_t v = beside(y, i / 3 % 3 - 1, g.height, g.dead & LIFE_DEAD_Y);
        const int64_t w = beside(z, i / 9 - 1, g.depth, g.dead & LIFE_DEAD_Z);
        alive += i != 13 && u >= 0 && v >= 0 && w >= 0 ? now[(size_t) ((w * g.height + v) * g.width + u)] : 0;
    }
    return alive;
}

static states plain_steps(states now, const grid &g, const masks &rule, uint32_t steps)
{
    for (; steps > 0; steps--) {
        states next(now.size());
        for (uint32_t i = 0; i < g.cells(); i++) {
            const uint32_t x = i % g.width, y = i / g.width % g.height, z = i / g.width / g.height;
            next[i] = (uint8_t) rule.next(now[i], count(now, g, x, y, z));
        }
        now = next;
    }
    return now;
}

/* A rule from what the kernels give to their rules. */
struct rule_of_space {
    masks rule;

    uint32_t next(const space_count &t, uint32_t cell) const
    {
        uint32_t result = 0;
        for (int bit = 0; bit < 32; bit++) {
            auto of = [&](uint32_t word) { return word >> bit & 1; };
            const uint32_t all =
                of(t.bit0) + 2 * of(t.bit1) + 4 * (of(t.four) + of(t.more)) + 8 * (of(t.eight) + of(t.carry));
            result |= (of(cell) ? all > 0 && (rule.survive >> (all - 1) & 1) : rule.birth >> all & 1) << bit;
        }
        return result;
    }
};

/* ---- The kernels ------------------------------------------------------------------------------------------------ */

/* Cell x of a row is bit x % 128 / 4 of word x % 4 of group x / 128. The bits behind the row are as the plugin leaves
 * them before the first launch: ghosts of the cells at the other end of a torus, or 0. */
static std::vector<uint32_t> pack(const states &from, const grid &g)
{
    const uint32_t all = g.groups() * 128;
    std::vector<uint32_t> to((size_t) (all / 32 * g.height * g.depth));
    for (uint32_t row = 0; row < g.height * g.depth; row++)
        for (uint32_t x = 0; x < all; x++) {
            const uint8_t *cells = &from[row * g.width];
            const uint8_t ghost = x == g.width ? cells[0] : x == all - 1 ? cells[g.width - 1] : 0;
            const uint32_t cell = x < g.width ? cells[x] : g.dead & LIFE_DEAD_X ? 0 : ghost;
            to[row * all / 32 + x / 128 * 4 + x % 4] |= cell << x % 128 / 4;
        }
    return to;
}

static states unpack(const std::vector<uint32_t> &from, const grid &g)
{
    const uint32_t words = g.groups() * 4;
    states to(g.cells());
    for (uint32_t i = 0; i < g.cells(); i++)
        to[i] = from[i / g.width * words + i % g.width / 128 * 4 + i % g.width % 4] >> i % g.width % 128 / 4 & 1;
    return to;
}

template <class JOB> static void set_dead(JOB &job, const grid &g)
{
    if constexpr (!std::is_same_v<JOB, stream_job> && !std::is_same_v<JOB, resident_job>)
        job.dead = g.dead;
}

/* How a launch of the streaming form is cut. */
struct cut {
    uint32_t tile, warps, blocks;
};

template <int LEVELS, bool SEAM, class JOB, class RULE>
static states stream(const states &start, const grid &g, const cut &c, const RULE &rule)
{
    std::vector<uint32_t> source = pack(start, g), result = guarded(source.size());
    JOB job = {};
    job.source = (const uint4 *) source.data(), job.result = (uint4 *) result.data();
    job.height = g.height, job.depth = g.depth, job.groups = g.groups(), job.tail = g.tail();
    job.pitch = job.groups, job.plane = job.groups * g.height;
    job.tiles = (job.groups + c.tile - 1) / c.tile;
    job.width = (job.groups + job.tiles - 1) / job.tiles;
    job.columns = job.tiles == 1 ? job.groups : job.width + 2;
    job.rows = 32 / job.columns;
    const uint32_t own = job.rows * c.warps - 2 * (LEVELS - 1);
    job.slabs = (g.height + own - 1) / own;
    job.owned = (g.height + job.slabs - 1) / job.slabs;
    job.factors = {1, 0u - 2};
    set_dead(job, g);
    launch_here([=] { stream_levels<LEVELS, 12, 4, stream_edges<SEAM, JOB>>(job, rule); }, c.blocks, c.warps * 32);
    return is_guarded(result) ? unpack(result, g) : states();
}

template <bool SEAM, class JOB, class RULE>
static states stay(const states &start, const grid &g, uint32_t border_march, uint32_t steps, const RULE &rule)
{
    std::vector<uint32_t> source = pack(start, g), result = guarded(source.size());
    JOB job = {};
    job.source = (const uint4 *) source.data(), job.result = (uint4 *) result.data();
    job.height = job.rows = g.height, job.depth = job.planes = g.depth;
    job.groups = g.groups(), job.tail = g.tail();
    job.pitch = job.groups, job.plane = job.groups * g.height;
    job.blocks_y = job.blocks_z = 1;
    job.march = 4, job.border_march = border_march;
    const uint32_t in_warp = 32 / job.groups, halo = resident_halo(job.rows, job.planes);
    const uint32_t strips =
        2 * ((job.planes + border_march - 1) / border_march) + 2 * ((job.rows + border_march - 3) / border_march);
    const uint32_t receivers = (halo + RESIDENT_RECEIVES - 1) / RESIDENT_RECEIVES;
    const uint32_t inner = (job.rows - 2) * ((job.planes + 1) / 4);
    job.border_warps = (max(strips, receivers) + in_warp - 1) / in_warp;
    const uint32_t warps = job.border_warps + max(1u, (inner + in_warp - 1) / in_warp);
    job.steps = steps;
    std::vector<ulonglong2> slots(2 * halo * job.groups * 2);
    job.slots = slots.data();
    set_dead(job, g);
    if (warps > RESIDENT_WARPS)
        return states();
    launch_here([=] { stay_resident<resident_edges<SEAM, JOB>>(job, rule); }, 1, warps * 32);
    return is_guarded(result) ? unpack(result, g) : states();
}

/* ---- The test --------------------------------------------------------------------------------------------------- */

static int wrong = 0;

static states soup(const grid &g)
{
    uint32_t random = g.width * 31 + g.height;
    states start(g.cells());
    for (uint8_t &cell : start)
        random = random * 1664525 + 1013904223, cell = random >> 28 < 5;
    return start;
}

static const masks rules[] = {{1u << 6, 7u << 5}, {0xf, 1u << 4}, {0x2aaaaaa, 0x1999998}}; /* B6/S5..7, B0..3/S4, … */

static void report(bool right, const char *form, const grid &g, uint32_t number)
{
    wrong += !right;
    printf("%s - %s, %u x %u x %u, dead axes %u, %u\n", right ? "ok" : "not ok", form, g.width, g.height, g.depth,
           g.dead, number);
}

template <bool SEAM, class JOB> static bool streams(const grid &g, const cut &c)
{
    const states start = soup(g);
    bool right = stream<2, SEAM, JOB>(start, g, c, rule_default()) == plain_steps(start, g, rules[0], 2);
    for (const masks &rule : rules) {
        right = right && stream<2, SEAM, JOB>(start, g, c, rule_of_space{rule}) == plain_steps(start, g, rule, 2);
        right = right && stream<1, SEAM, JOB>(start, g, c, rule_of_space{rule}) == plain_steps(start, g, rule, 1);
    }
    return right;
}

template <bool SEAM, class JOB> static bool stays(const grid &g, uint32_t border_march)
{
    const states start = soup(g);
    bool right = true;
    for (const masks &rule : rules)
        for (uint32_t steps : {1, 4})
            right = right && stay<SEAM, JOB>(start, g, border_march, steps, rule_of_space{rule}) ==
                                 plain_steps(start, g, rule, steps);
    return right;
}

static void compare_streams(const grid &g, const cut &c)
{
    const bool seam = g.tail() < 128;
    report(g.dead ? (seam ? streams<1, dead_stream_job>(g, c) : streams<0, dead_stream_job>(g, c))
                  : (seam ? streams<1, stream_job>(g, c) : streams<0, stream_job>(g, c)),
           "streaming", g, c.tile);
}

static void compare_residents(const grid &g, uint32_t border_march)
{
    const bool seam = g.tail() < 128;
    report(g.dead ? (seam ? stays<1, dead_resident_job>(g, border_march) : stays<0, dead_resident_job>(g, border_march))
                  : (seam ? stays<1, resident_job>(g, border_march) : stays<0, resident_job>(g, border_march)),
           "resident", g, border_march);
}

int main()
{
    for (uint32_t dead = 0; dead < 8; dead++) {
        compare_streams({1, 1, 1, dead}, {32, 1, 1});
        compare_streams({5, 3, 2, dead}, {32, 1, 1});
        compare_streams({127, 70, 5, dead}, {32, 2, 3});
        compare_streams({128, 70, 6, dead}, {32, 2, 2});
        compare_streams({129, 20, 4, dead}, {32, 1, 3});
        compare_streams({384, 11, 3, dead}, {1, 2, 3});
        compare_streams({390, 11, 3, dead}, {2, 2, 5});
        compare_residents({128, 6, 7, dead}, 2);
        compare_residents({100, 2, 2, dead}, 1);
        compare_residents({127, 5, 9, dead}, 3);
        compare_residents({300, 4, 5, dead}, 2);
    }
    return wrong > 0;
}
