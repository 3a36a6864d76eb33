/* The kernels of census/cuda on the host, against plain loops over arrays of bytes: the clusters that soups leave, and the
 * gliders that escape. */
#include "../stencil/simt.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#pragma GCC diagnostic push /* nvcc does not warn of these */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <census/cuda_ash.cuh>
#pragma GCC diagnostic pop

/* ---- Plain loops --------------------------------------------------------------------------------------------------- */

enum { SIDE = 900 };

struct plain {
    uint32_t birth, survive;
    std::vector<uint8_t> cells = std::vector<uint8_t>(SIDE * SIDE);
    int left = SIDE, top = SIDE, right = 0, bottom = 0; /* of the cells that may be alive */

    void put(int x, int y)
    {
        cells[y * SIDE + x] = 1;
        left = std::min(left, x), top = std::min(top, y), right = std::max(right, x), bottom = std::max(bottom, y);
    }

    void step()
    {
        const std::vector<uint8_t> now = cells;
        const int box[4] = {left - 1, top - 1, right + 1, bottom + 1};
        for (int y = box[1]; y <= box[3]; y++)
            for (int x = box[0]; x <= box[2]; x++) {
                const uint8_t *at = &now[y * SIDE + x];
                const int total =
                    at[-SIDE - 1] + at[-SIDE] + at[-SIDE + 1] + at[-1] + at[1] + at[SIDE - 1] + at[SIDE] + at[SIDE + 1];
                cells[y * SIDE + x] = (*at ? survive : birth) >> total & 1;
                if (cells[y * SIDE + x])
                    put(x, y);
            }
    }
};

using shape = std::vector<std::pair<int, int>>; /* cells (y, x), from 0 on */

static shape normal(shape cells)
{
    int x = SIDE, y = SIDE;
    for (const auto &cell : cells)
        y = std::min(y, cell.first), x = std::min(x, cell.second);
    for (auto &cell : cells)
        cell.first -= y, cell.second -= x;
    std::sort(cells.begin(), cells.end());
    return cells;
}

/* The live cells of each cluster: cells of two steps that have a common neighbour belong together. */
static std::vector<shape> clusters_of(plain now)
{
    const std::vector<uint8_t> alive = now.cells;
    std::vector<shape> result;
    now.step();
    for (size_t i = 0; i < alive.size(); i++)
        now.cells[i] |= alive[i];
    for (int first = 0; first < SIDE * SIDE; first++) {
        std::vector<int> queue;
        shape cells;
        const auto take = [&](int at) {
            if (now.cells[at])
                queue.push_back(at);
            now.cells[at] = 0;
        };
        for (take(first); !queue.empty();) {
            const int at = queue.back();
            queue.pop_back();
            if (alive[at])
                cells.push_back({at / SIDE, at % SIDE});
            for (int dy = -2; dy <= 2; dy++)
                for (int dx = -2; dx <= 2; dx++)
                    if (dx * dx * dy * dy < 16)
                        take(at + dy * SIDE + dx);
        }
        if (!cells.empty())
            result.push_back(normal(cells));
    }
    return result;
}

static bool is_glider(shape cells)
{
    const shape phases[2] = {{{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}}, {{0, 0}, {0, 2}, {1, 1}, {1, 2}, {2, 1}}};
    for (int turn = 0; turn < 8; turn++) {
        shape turned;
        for (const auto &cell : cells) {
            const int y = turn & 1 ? 2 - cell.first : cell.first, x = turn & 2 ? 2 - cell.second : cell.second;
            turned.push_back(turn & 4 ? std::make_pair(x, y) : std::make_pair(y, x));
        }
        turned = normal(turned);
        if (turned == phases[0] || turned == phases[1])
            return true;
    }
    return false;
}

struct result {
    std::vector<shape> clusters;
    uint32_t gliders;
    bool settled;
};

/* Runs a soup until all that is left repeats itself after two steps but for gliders. */
static result run_plain(uint32_t birth, uint32_t survive, const soup &soup)
{
    plain now = {birth, survive};
    for (int y = 0; y < SOUP_SIDE; y++)
        for (int x = 0; x < SOUP_SIDE; x++)
            if (soup.rows[y] >> x & 1)
                now.put(SIDE / 2 + x, SIDE / 2 + y);
    const auto count = [](const std::vector<shape> &clusters) {
        return (uint32_t) std::count_if(clusters.begin(), clusters.end(), is_glider);
    };
    for (int step = 0; step < 1400; step += 100) {
        for (int k = 0; k < 100; k++)
            now.step();
        plain later = now;
        for (int k = 0; k < 2; k++)
            later.step();
        auto one = clusters_of(now), two = clusters_of(later);
        const uint32_t gliders = count(one);
        const auto rest = [](std::vector<shape> &clusters) {
            clusters.erase(std::remove_if(clusters.begin(), clusters.end(), is_glider), clusters.end());
            std::sort(clusters.begin(), clusters.end());
        };
        const uint32_t same = count(two);
        rest(one);
        rest(two);
        if (one == two && gliders == same)
            return {one, gliders, true};
    }
    return {{}, 0, false};
}

/* ---- The kernels --------------------------------------------------------------------------------------------------- */

struct device {
    census_job job = {};
    census_totals totals = {};
    std::vector<soup> soups;
    std::vector<uint32_t> arrays = std::vector<uint32_t>(2 * ARRAY_WORDS);
    std::vector<uint32_t> counts = std::vector<uint32_t>(CENSUS_SLOTS), slots = std::vector<uint32_t>(CENSUS_CLUSTERS);
    std::vector<uint32_t> left;
    std::vector<census_shape> table = std::vector<census_shape>(CENSUS_SLOTS);
    std::vector<census_report> reports = std::vector<census_report>(CENSUS_REPORTS);

    device(uint32_t birth, uint32_t survive, uint32_t count) : soups(count), left(count)
    {
        job.count = count;
        strcpy(job.root, "l_census");
        job.root_length = 8;
        for (int total = 0; total < 9; total++) {
            job.birth[total] = 0 - (birth >> total & 1);
            job.differs[total] = job.birth[total] ^ (0 - (survive >> total & 1));
        }
        for (uint32_t square = 0; square < 512; square++) {
            shape cells;
            for (int bit = 0; bit < 9; bit++)
                if (square >> bit & 1)
                    cells.push_back({bit / 3, bit % 3});
            if (cells.size() == 5 && is_glider(cells) && normal(cells) == cells)
                job.gliders[square] = direction_of(birth, survive, cells);
        }
        job.most_passes = 6000;
        job.soups = soups.data(), job.arrays = arrays.data(), job.slots = slots.data(), job.table = table.data();
        job.counts = counts.data(), job.left = left.data(), job.reports = reports.data(), job.totals = &totals;
    }

    /* 1 + (dx > 0) + 2 (dy > 0), by four steps. */
    static uint8_t direction_of(uint32_t birth, uint32_t survive, const shape &cells)
    {
        plain now = {birth, survive};
        int before[2] = {0, 0}, after[2] = {0, 0};
        for (const auto &cell : cells)
            now.put(100 + cell.second, 100 + cell.first), before[0] += cell.second, before[1] += cell.first;
        for (int step = 0; step < 4; step++)
            now.step();
        for (int at = 0; at < SIDE * SIDE; at++)
            if (now.cells[at])
                after[0] += at % SIDE - 100, after[1] += at / SIDE - 100;
        return (uint8_t) (1 + (after[0] > before[0]) + 2 * (after[1] > before[1]));
    }

    template <bool LIFE> void take()
    {
        totals = {};
        launch_here([&] { take_soups<LIFE>(job); }, dim3(1), dim3(32));
    }

    result result_of(uint32_t number) const
    {
        result out = {{}, 0, std::find(left.begin(), left.begin() + totals.left, number) == left.begin() + totals.left};
        for (uint32_t i = 0; i < totals.reports; i++) {
            shape cells;
            for (int y = 0; y < 32; y++)
                for (int x = 0; x < 32; x++)
                    if (reports[i].shape.rows[y] >> x & 1)
                        cells.push_back({y, x});
            if (reports[i].soup == number && cells.empty())
                out.gliders++;
            else if (reports[i].soup == number)
                out.clusters.push_back(cells);
        }
        std::sort(out.clusters.begin(), out.clusters.end());
        return out;
    }
};

static void check(bool right, const char *name)
{
    printf("%s %s\n", right ? "ok" : "not ok", name);
}

/* Puts the reported shapes into the table. */
static void learn(device &own)
{
    for (uint32_t i = 0; i < own.totals.reports; i++) {
        const census_shape &cells = own.reports[i].shape;
        uint32_t sum = 0;
        for (uint32_t y = 0; y < 32; y++)
            sum += census_hash_row(y, cells.rows[y]);
        uint32_t slot = census_hash_end(sum) % CENSUS_SLOTS;
        while (own.table[slot].rows[0] && memcmp(&own.table[slot], &cells, sizeof cells) != 0)
            slot = (slot + 1) % CENSUS_SLOTS;
        if (cells.rows[0])
            own.table[slot] = cells;
    }
}

/* How often a shape has been reported. */
static uint32_t reported(const std::vector<census_report> &reports, const census_shape &cells)
{
    return (uint32_t) std::count_if(reports.begin(), reports.end(), [&](const census_report &report) {
        return memcmp(&report.shape, &cells, sizeof cells) == 0;
    });
}

template <bool LIFE>
static void check_rule(uint32_t birth, uint32_t survive, const soup_layout &layout, uint32_t first, uint32_t count)
{
    device own(birth, survive, count);
    own.job.layout = layout;
    own.job.first = first;
    own.job.report_gliders = true;
    launch_here([&] { make_soups(own.job); }, dim3(1), dim3(32));
    own.take<LIFE>();
    bool same = true;
    uint32_t settled = 0;
    for (uint32_t i = 0; i < count; i++) {
        const result one = own.result_of(i), two = run_plain(birth, survive, own.soups[i]);
        if (!one.settled || !two.settled)
            continue;
        settled++;
        same = same && one.clusters == two.clusters && one.gliders == two.gliders;
    }
    check(same && settled > count / 2, "the clusters and gliders of soups");
    check(std::count(own.arrays.begin(), own.arrays.end(), 0u) == (long) own.arrays.size(), "the tiles are clear");
    learn(own);
    const uint32_t reports = own.totals.reports;
    const std::vector<census_report> before(own.reports.begin(), own.reports.begin() + reports);
    own.job.report_gliders = false;
    own.take<LIFE>();
    same = own.totals.reports == 0 && own.totals.gliders == reported(before, {});
    for (uint32_t slot = 0; slot < CENSUS_SLOTS; slot++)
        same = same && (!own.table[slot].rows[0] || own.counts[slot] == reported(before, own.table[slot]));
    check(same, "the same from a table");
}

/* Soups that are given cell by cell. */
struct drawing {
    soup cells = {};

    void put(int x, int y)
    {
        cells.rows[y] |= 1u << x;
    }

    void put_block(int x, int y)
    {
        for (int k = 0; k < 4; k++)
            put(x + k % 2, y + k / 2);
    }

    /* A glider whose box begins at (x, y) in a soup that is mirrored along x, y or both. */
    void put_glider(int x, int y)
    {
        for (const auto &cell : shape{{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}})
            put(x + cell.second, y + cell.first);
    }

    soup mirrored(int turn) const
    {
        drawing out;
        for (int y = 0; y < SOUP_SIDE; y++)
            for (int x = 0; x < SOUP_SIDE; x++)
                if (cells.rows[y] >> x & 1)
                    out.put(turn & 1 ? 31 - x : x, turn & 2 ? 31 - y : y);
        return out.cells;
    }
};

/* Takes soups, and compares those that settle. Returns how many the host has to run. */
static uint32_t left_of(const std::vector<soup> &soups, bool *same)
{
    device own(1 << 3, 1 << 2 | 1 << 3, (uint32_t) soups.size());
    own.job.report_gliders = true;
    std::copy(soups.begin(), soups.end(), own.soups.begin());
    own.take<true>();
    for (uint32_t i = 0; i < soups.size(); i++) {
        const result one = own.result_of(i), two = run_plain(1 << 3, 1 << 2 | 1 << 3, soups[i]);
        *same = *same && (!one.settled || (two.settled && one.clusters == two.clusters && one.gliders == two.gliders));
    }
    return own.totals.left;
}

/* Gliders of all four directions meet a block, miss it, or fly beside each other. */
static void check_gliders()
{
    std::vector<soup> meet, fly;
    for (int turn = 0; turn < 4; turn++) {
        for (int aside = -4; aside <= 4; aside += 2) {
            drawing own;
            own.put_glider(4, 4);
            own.put_block(24 + aside, 24 - aside);
            meet.push_back(own.mirrored(turn));
        }
        drawing two;
        two.put_glider(2, 12);
        two.put_glider(12, 2);
        fly.push_back(two.mirrored(turn));
    }
    bool same = true;
    check(left_of(meet, &same) == 0 && same, "gliders that fly towards a block");
    same = true;
    check(left_of(fly, &same) == 0 && same, "gliders beside each other");
}

/* Rows of blocks that are one cluster each, at all places. Those that are too wide are left to the host. */
static void check_rows()
{
    std::vector<soup> narrow, wide;
    for (int x = 0; x < 12; x++) {
        drawing four, seven;
        for (int k = 0; k < 7; k++) {
            seven.put_block(x + 3 * k, 17);
            if (k < 4)
                four.put_block(x + 3 * k, 17);
        }
        narrow.push_back(four.cells);
        wide.push_back(seven.cells);
    }
    bool same = true;
    check(left_of(narrow, &same) == 0 && same, "rows of four blocks");
    check(left_of(wide, &same) == wide.size(), "rows of seven blocks");
}

int main()
{
    const soup_layout one = {"C1", 0, 0, false, false, false, false, false};
    const soup_layout four = {"D4_+4", 16, 16, true, false, false, false, false};
    check_rule<true>(1 << 3, 1 << 2 | 1 << 3, one, 17, 4);
    check_rule<true>(1 << 3, 1 << 2 | 1 << 3, four, 3, 2);
    check_rule<false>(1 << 3 | 1 << 8, 1 << 2 | 1 << 3, one, 40, 3);
    check_gliders();
    check_rows();
    /* Soup 69 of l_census leaves a pulsar, and soup 1420 a lightweight spaceship. */
    for (const uint32_t number : {69, 1420}) {
        device own(1 << 3, 1 << 2 | 1 << 3, 1);
        own.job.layout = one;
        own.job.first = number;
        launch_here([&] { make_soups(own.job); }, dim3(1), dim3(32));
        own.take<true>();
        check(own.totals.left == 1, "what the host has to run");
    }
    /* Without passes, the host runs all. */
    device own(1 << 3, 1 << 2 | 1 << 3, 1);
    own.job.most_passes = 0;
    own.take<true>();
    check(own.totals.left == 1 && own.left[0] == 0, "no passes");
    return 0;
}
