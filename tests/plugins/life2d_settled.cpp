/* The kernel of life2d-bit/cuda that leaves out settled tiles, on the host, against plain loops that share no code with
 * it:
 * states at each step, and the number of tiles that it leaves out. */
#include "life_host.h"

#include <cstdio>

typedef void *cudaStream_t;

static uint4 *shared_of_block();
#define life2d_shared (shared_of_block())
#include <life2d-bit/cuda_settled.cuh>

enum { BLOCKS = 14, LANES = 64 }; /* two teams */

static uint4 shared[BLOCKS][SETTLED_SHARED / 16];

static uint4 *shared_of_block()
{
    return shared[blockIdx.x];
}

static void wait_for_grid(uint32_t *)
{
    wait_for_blocks();
}

static uint32_t random_number()
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t) (state >> 33);
}

/* ---- Plain loops ------------------------------------------------------------------------------------------------ */

static const masks life = {1u << 3, 1u << 2 | 1u << 3};

struct plane {
    uint32_t width, height;
    std::vector<uint8_t> cells;

    plane(uint32_t width, uint32_t height) : width(width), height(height), cells((uint64_t) width * height)
    {
    }
    uint8_t &at(uint32_t x, uint32_t y)
    {
        return cells[(uint64_t) (y % height) * width + x % width];
    }
    void step(const masks &rule)
    {
        const uint32_t wide = width + 2; /* a copy with a cell more on each side */
        std::vector<uint8_t> from((uint64_t) wide * (height + 2));
        for (uint32_t y = 0; y < height + 2; y++)
            for (uint32_t x = 0; x < wide; x++)
                from[(uint64_t) y * wide + x] = at(x + width - 1, y + height - 1);
        for (uint32_t y = 0; y < height; y++)
            for (uint32_t x = 0; x < width; x++) {
                const uint8_t *here = &from[(uint64_t) (y + 1) * wide + x + 1], *above = here - wide,
                              *below = here + wide;
                const uint32_t count =
                    above[-1] + above[0] + above[1] + here[-1] + here[1] + below[-1] + below[0] + below[1];
                at(x, y) = (uint8_t) rule.next(*here, count);
            }
    }
    void put(uint32_t x, uint32_t y, const char *rows) /* a pattern, rows of . and o with / between them */
    {
        for (uint32_t i = x; *rows; rows++, i++)
            if (*rows == '/')
                i = x - 1, y++;
            else
                at(i, y) = *rows == 'o';
    }
};

/* ---- The kernel's grid ------------------------------------------------------------------------------------------ */

struct packed {
    settled_grid grid;
    uint32_t pitch; /* in groups */
    std::vector<uint64_t> memory;
    std::vector<uint4> cells[2];
    int current = 0;

    packed(uint32_t width, uint32_t height, bool always)
    {
        if (!settled_make(&grid, width, height, BLOCKS))
            printf("not ok - %u x %u is fit for tiles\n", width, height);
        grid.always = always;
        grid.most_needed = 45, grid.most_moving = 34;
        memory.assign(grid.bytes / 8 + 1, 0);
        grid.memory = memory.data();
        pitch = grid.groups + 1;
        for (int i = 0; i < 2; i++)
            cells[i].assign((uint64_t) pitch * height, {0, 0, 0, 0});
    }
    uint32_t *word_of(int which, uint32_t x, uint32_t y)
    {
        return &(&cells[which][(uint64_t) y * pitch + x / 128].x)[x % 4];
    }
    void write(int which, plane &from) /* and anything beyond the width */
    {
        for (uint64_t i = 0; i < cells[which].size(); i++)
            cells[which][i] = {random_number(), ~random_number(), random_number() << 1, random_number()};
        for (uint32_t y = 0; y < grid.height; y++)
            for (uint32_t x = 0; x < grid.width; x++) {
                uint32_t *word = word_of(which, x, y), bit = 1u << x % 128 / 4;
                *word = from.at(x, y) ? *word | bit : *word & ~bit;
            }
    }
    bool equals(int which, plane &other)
    {
        for (uint32_t y = 0; y < grid.height; y++)
            for (uint32_t x = 0; x < grid.width; x++)
                if ((*word_of(which, x, y) >> x % 128 / 4 & 1) != other.at(x, y)) {
                    printf("# cell (%u, %u) of %u x %u differs\n", x, y, grid.width, grid.height);
                    return false;
                }
        return true;
    }
    settled_state *state()
    {
        return (settled_state *) grid.memory;
    }
    uint64_t skipped()
    {
        return state()->passed - state()->computed;
    }
    void lose()
    {
        state()->known = 0;
    }
};

/* How many tiles have a cell within `reach` of it, a torus, that differs? */
static uint64_t count_near_changes(const settled_grid &grid, plane &now, plane &before, uint32_t reach)
{
    std::vector<uint8_t> wide((uint64_t) now.width * now.height, 0);
    uint64_t count = 0;
    for (uint32_t y = 0; y < now.height; y++)
        for (uint32_t x = 0; x < now.width; x++)
            wide[(uint64_t) y * now.width + x] = now.at(x, y) != before.at(x, y);
    for (uint32_t j = 0, row = 0; j < grid.y.tiles; j++) {
        const uint32_t rows = grid.y.edge + (j < grid.y.longer);
        for (uint32_t i = 0, first = 0; i < grid.x.tiles; i++) {
            const uint32_t width = min(32 * (grid.x.edge + (i < grid.x.longer)), grid.width - first);
            bool near = false;
            for (uint32_t y = 0; y < rows + 2 * reach; y++)
                for (uint32_t x = 0; x < width + 2 * reach; x++)
                    near = near || wide[(uint64_t) ((row + y + now.height - reach) % now.height) * now.width +
                                        (first + x + now.width - reach) % now.width];
            count += near;
            first += width;
        }
        row += rows;
    }
    return count;
}

/* ---- The test --------------------------------------------------------------------------------------------------- */

static int tests = 0, wrong = 0;

static void report(bool right, const char *what, uint32_t width, uint32_t height)
{
    printf("%s - %s, %u x %u\n", right ? "ok" : "not ok", what, width, height);
    tests++, wrong += !right;
}

/* Takes a round, and with plain loops what it leaves. The counts of needed tiles must be those of plain loops. */
static bool take(packed &g, plane &now, plane &before, uint32_t passes, const masks &rule)
{
    settled_job job = settled_job_of(&g.grid, g.pitch);
    job.cells[0] = g.cells[g.current].data(), job.cells[1] = g.cells[1 - g.current].data();
    job.passes = passes, job.steps = passes * SETTLED_STEPS;
    job.least = 4;
    job.factors = {1, 0u - 2};
    const uint64_t tiles = (uint64_t) g.grid.x.tiles * g.grid.y.tiles, skipped = g.skipped();
    uint64_t least = 0, most = 0;
    bool known = g.state()->known;
    if (rule.birth == life.birth && rule.survive == life.survive)
        launch_together([=] { take_passes(job, rule_life()); }, BLOCKS, LANES);
    else
        launch_together([=] { take_passes(job, rule_counting{rule}); }, BLOCKS, LANES);
    const uint32_t done = g.state()->done;
    if (done % (4 * SETTLED_STEPS) != 0 && done != job.steps) {
        printf("# %u steps were taken, of %u\n", done, job.steps);
        return false;
    }
    for (uint32_t step = 0; step < job.steps; step += SETTLED_STEPS) {
        if (step < done) {
            least += known ? tiles - count_near_changes(g.grid, now, before, SETTLED_STEPS + 3) : 0;
            most += known ? tiles - count_near_changes(g.grid, now, before, SETTLED_STEPS) : 0;
            known = true;
        }
        before = now;
        for (int i = 0; i < SETTLED_STEPS; i++)
            now.step(rule);
    }
    const uint64_t found = g.skipped() - skipped;
    if (found < least || found > most)
        printf("# %llu tiles were skipped, expected %llu to %llu\n", (unsigned long long) found,
               (unsigned long long) least, (unsigned long long) most);
    g.current ^= passes & 1;
    if (done < job.steps)
        g.write(g.current, now);
    return g.equals(g.current, now) && found >= least && found <= most;
}

static void fill(plane &p, uint32_t percent, uint32_t width, uint32_t height)
{
    for (uint32_t y = 0; y < height; y++)
        for (uint32_t x = 0; x < width; x++)
            p.at(x, y) = random_number() % 100 < percent;
}

/* A soup in a corner, oscillators of the periods 2, 3, 5, 8 and 15, and gliders, one of which crosses the corner. */
static void fill_with_patterns(plane &p)
{
    fill(p, 35, 30, 30);
    p.put(120, 60, "ooo");
    p.put(190, 100,
          "..ooo...ooo/............./o....o.o....o/o....o.o....o/o....o.o....o/..ooo...ooo../............./"
          "..ooo...ooo../o....o.o....o/o....o.o....o/o....o.o....o/............./..ooo...ooo..");
    p.put(60, 150, "...oo.../..o..o../.o....o./o......o/o......o/.o....o./..o..o../...oo...");
    p.put(120, 200, "ooo.../ooo.../ooo.../...ooo/...ooo/...ooo");
    p.put(200, 30, "..o....o../oo.oooo.oo/..o....o..");
    p.put(p.width - 6, p.height - 6, ".o./..o/ooo");
    p.put(p.width - 2, 120, "..o/ooo/.o.");
}

static void try_rounds(uint32_t width, uint32_t height, bool always, const masks &rule, const char *what)
{
    packed g(width, height, always);
    plane now(width, height), before(width, height);
    bool right = true;
    fill_with_patterns(now);
    g.write(0, now), g.write(1, before);
    for (uint32_t round = 0; round < 6 && right; round++) {
        right = take(g, now, before, 1 + random_number() % 6, rule);
        if (round == 3) { /* steps that are no round */
            before = now;
            for (int i = 0; i < 5; i++)
                now.step(rule);
            g.current = 1 - g.current;
            g.write(g.current, now);
            g.lose();
        }
    }
    report(right, what, width, height);
}

/* Without change nothing is computed, and a soup switches tiles off. */
static void try_switching()
{
    packed g(700, 600, false);
    plane now(700, 600), before(700, 600);
    now.put(100, 100, "oo/oo");
    now.put(300, 500, "ooo");
    g.write(0, now);
    bool right = take(g, now, before, 8, life) && g.state()->on && g.state()->known;
    const uint64_t skipped = g.skipped();
    right = right && take(g, now, before, 3, life) && g.skipped() == skipped + 3ull * g.grid.x.tiles * g.grid.y.tiles;
    report(right, "a block and a blinker cost nothing", 700, 600);
    fill(now, 35, 700, 600);
    g.write(g.current, now), g.lose();
    right =
        take(g, now, before, 8, life) && !g.state()->on && !g.state()->known && g.state()->done == 4 * SETTLED_STEPS;
    report(right, "a soup switches tiles off", 700, 600);
    right = take(g, now, before, 8, life) && !g.state()->on && g.state()->done == 0;
    report(right, "a trial leaves them off", 700, 600);
    fill(now, 0, 700, 600);
    now.put(200, 200, "ooo");
    g.write(g.current, now);
    right = take(g, now, before, 2, life) && g.state()->done == 0;
    right = right && take(g, now, before, 5, life) && g.state()->on && g.state()->done == 5 * SETTLED_STEPS;
    report(right, "a trial switches them on", 700, 600);
}

/* Every needed tile of a large bitmap is in the list of one block, and no block of a team lists more than the
 * others. */
static void try_lists()
{
    settled_grid grid;
    settled_make(&grid, 96 * 1000, 104 * 100, BLOCKS);
    std::vector<uint64_t> memory(grid.bytes / 8 + 1);
    std::vector<uint32_t> needed((uint64_t) grid.teams * grid.words), found(needed.size() * 32);
    grid.memory = memory.data();
    for (uint32_t &word : needed)
        word = random_number() % 8 == 0 ? random_number() << 1 | random_number() % 2 : 0;
    const settled_job job = settled_job_of(&grid, grid.groups);
    uint32_t counts[BLOCKS] = {}, chunks = 0;
    bool fair = true;
    for (uint32_t first = 0, words = 0; first < job.words; first += words, chunks++) {
        launch_together(
            [&] {
                const settled_team team = team_of_block(job);
                const uint32_t count = list_needed(job, team, needed.data(), first, false);
                const uint16_t *list = (const uint16_t *) (life2d_shared + SETTLED_LIST);
                counts[blockIdx.x] = count, words = team.words;
                for (uint32_t i = threadIdx.x; i < count; i += blockDim.x)
                    found[team.number * job.words * 32 + first * 32 + list[i]]++;
            },
            BLOCKS, LANES);
        for (uint32_t i = 0; i < BLOCKS; i++)
            fair = fair && counts[i] <= counts[i % grid.teams] && counts[i] + 1 >= counts[i % grid.teams];
    }
    for (uint64_t i = 0; i < found.size(); i++)
        fair = fair && found[i] == (needed[i / 32] >> i % 32 & 1);
    report(fair && chunks > 2, "each tile is listed once", grid.width, grid.height);
}

int main()
{
    static const masks other = {1u << 3 | 1u << 6, 0x1c};
    static const uint32_t sizes[][2] = {{256, 256}, {300, 290}, {257, 313}, {384, 260},
                                        {385, 417}, {511, 300}, {641, 257}};
    for (const uint32_t *size : sizes)
        try_rounds(size[0], size[1], true, life, "patterns");
    try_rounds(418, 333, true, other, "another rule");
    try_rounds(1000, 311, false, life, "patterns, if it pays");
    try_switching();
    try_lists();
    return wrong > 0;
}
