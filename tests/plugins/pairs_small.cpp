/* The kernels of small systems and of those of middle size of pairs/cuda on the host, against a plain loop over all pairs:
 * one block and several, one system and several, full lists and particles without a list must give the same bits. And the kernels that
 * check and measure all systems of a call, against a loop in double precision. */
#include "../stencil/simt.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

/* ---- What the kernel takes from CUDA ------------------------------------------------------------------------------ */

/* To the nearest integer; what does not fit is limited. */
static int32_t __float2int_rn(float number)
{
    return number >= 0x1p31f   ? INT32_MAX
           : number < -0x1p31f ? INT32_MIN
           : number == number  ? (int32_t) lrintf(number)
                               : 0;
}

static long long __double2ll_rn(double number)
{
    return llrint(number);
}

template <class T> static void atomicMin(T *at, T number)
{
    *at = number < *at ? number : *at;
}

#define PAIRS_SMALL_EMULATED
enum { BLOCKS = 2 };
static std::vector<double> memory[THREADS];
static uint32_t cluster; /* blocks of a cluster */

static unsigned char *small_bytes()
{
    return (unsigned char *) memory[blockIdx.x].data();
}

static uint32_t small_rank()
{
    return blockIdx.x % cluster;
}

template <class T> static T *small_in(T *own, uint32_t rank)
{
    const unsigned other = blockIdx.x / cluster * cluster + rank;
    return (T *) ((char *) memory[other].data() + ((char *) own - (char *) memory[blockIdx.x].data()));
}

/* The blocks of all clusters wait for each other, which is more than they must. */
static void small_wait(uint32_t)
{
    wait_for_blocks();
}

/* The same, and says whether one of the blocks is stale. */
static bool middle_wait(uint32_t *, uint32_t number, bool stale)
{
    static bool some[3];
    if (stale)
        some[number % 3] = true;
    wait_for_blocks();
    some[(number + 2) % 3] = false; /* all threads have left the wait before */
    return some[number % 3];
}

#define PAIRS_SMALL_THREADS  64
#define PAIRS_MIDDLE_THREADS 64
#pragma GCC diagnostic push /* nvcc does not warn of these */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#pragma GCC diagnostic ignored "-Wunused-function"
#include <pairs/cuda_measure.cuh>
#include <pairs/cuda_middle.cuh>
#pragma GCC diagnostic pop

/* ---- Systems ------------------------------------------------------------------------------------------------------ */

struct liquid {
    uint32_t count, systems;
    std::vector<double> x, v, mass, force;
    std::vector<int32_t> species;
};

constexpr double CUTOFF = 2.5;
static double EDGE[3] = {7, 5.5, 6.1};

/* Particles near the sites of a cubic lattice, so that few of them nearly overlap. */
static liquid make_liquid(uint32_t count, uint32_t systems)
{
    liquid s = {count, systems, {}, {}, {}, std::vector<double>(3 * count * systems), {}};
    uint64_t random = count;
    const auto next = [&] {
        random = random * 6364136223846793005u + 1442695040888963407u;
        return (double) (random >> 40) / 16777216;
    };
    const uint32_t side = (uint32_t) std::ceil(std::cbrt(count));
    for (uint32_t i = 0; i < count * systems; i++) {
        const uint32_t k = i % count, site[3] = {k % side, k / side % side, k / side / side};
        for (int c = 0; c < 3; c++) {
            s.x.push_back(EDGE[c] * (site[c] + 0.3 * next()) / side);
            s.v.push_back(6 * (next() - 0.5));
        }
        s.mass.push_back(1 + next());
        s.species.push_back((int32_t) (k % 2));
    }
    return s;
}

template <class Rule> static Rule make_rule()
{
    Rule rule = {};
    rule.reach = (float) CUTOFF * (1 + 0x1p-22f);
    for (uint32_t type = 0; type < PAIRS_TYPES; type++) {
        rule.cutoff2[type] = (float) (CUTOFF * CUTOFF);
        rule.sigma2[type] = type == 0 ? 1 : 0.81f;
        rule.strength[type] = 24 * 0x1p20f;
    }
    rule.axes = 3;
    rule.dt = 0.005, rule.half_dt = rule.dt / 2;
    memcpy(rule.edge, EDGE, sizeof rule.edge);
    rule.unit = 0x1p-20;
    rule.keep = 0.99, rule.noise = 0.1, rule.seed = 3;
    return rule;
}

/* A rule and a box that differ from those of system 0. */
template <class Rule> static Rule differing(Rule rule, uint32_t system)
{
    for (uint32_t type = 0; type < PAIRS_TYPES; type++) {
        rule.cutoff2[type] *= 1 - 0.03f * (float) system;
        rule.sigma2[type] *= 1 + 0.01f * (float) system;
        rule.strength[type] *= 1 + 0.1f * (float) system;
    }
    for (double &edge : rule.edge)
        edge *= 1 + 0.04 * system;
    rule.dt /= 1 + system, rule.half_dt = rule.dt / 2;
    rule.unit *= 1 + system;
    rule.keep -= 0.1 * system, rule.noise += 0.1 * system, rule.seed += 7 * system;
    return rule;
}

/* ---- The plain loop ------------------------------------------------------------------------------------------------ */

/* The place along an axis: a multiple of edge / 2^32, rounded down. */
static int64_t place(double x, double edge)
{
    const double part = x / edge;
    return (int64_t) ((part - std::floor(part)) * 4294967296.0) % 4294967296;
}

template <class Rule>
static void plain_forces(const Rule &rule, const liquid &s, uint32_t first, std::vector<double> &out)
{
    for (uint32_t i = first; i < first + s.count; i++) {
        int64_t sum[3] = {};
        for (uint32_t j = first; j < first + s.count; j++) {
            float d[3], square = 0;
            for (int c = 0; c < 3; c++) {
                int64_t units = place(s.x[3 * i + c], rule.edge[c]) - place(s.x[3 * j + c], rule.edge[c]);
                units -= units >= 2147483648 ? 4294967296 : 0;
                units += units < -2147483648 ? 4294967296 : 0;
                d[c] = (float) (rule.edge[c] / 4294967296.0) * (float) units;
                square += d[c] * d[c];
            }
            const uint32_t type = Rule::one ? 0 : pairs_type((uint32_t) s.species[i], (uint32_t) s.species[j]);
            if (i == j || !(square < rule.cutoff2[type]))
                continue;
            const float inverse = 1 / square, s2 = rule.sigma2[type] * inverse, s6 = s2 * s2 * s2;
            const float factor = rule.strength[type] * (s6 * (2 * s6 - 1)) * inverse;
            for (int c = 0; c < 3; c++)
                sum[c] += llrintf(std::min(std::max(factor * d[c], -0x1p52f), 0x1p52f));
        }
        for (int c = 0; c < 3; c++)
            out[3 * i + c] = (double) sum[c] * rule.unit;
    }
}

template <class Rule> static liquid plain_steps(const Rule &first_rule, bool differ, liquid s, uint32_t steps)
{
    for (uint32_t system = 0; system < s.systems; system++) {
        Rule rule = differ ? differing(first_rule, system) : first_rule;
        rule.seed += differ ? 0 : system;
        const uint32_t first = system * s.count, end = first + s.count;
        const auto kick = [&] {
            for (uint32_t k = 3 * first; k < 3 * end; k++)
                s.v[k] += rule.half_dt / s.mass[k / 3] * s.force[k];
        };
        const auto drift = [&](double h) {
            for (uint32_t k = 3 * first; k < 3 * end; k++) {
                const double edge = rule.edge[k % 3], x = s.x[k] + h * s.v[k];
                s.x[k] = x - edge * std::floor(x / edge);
            }
        };
        plain_forces(rule, s, first, s.force);
        for (uint32_t step = 0; step < steps; step++) {
            kick();
            drift(Rule::langevin ? rule.dt / 2 : rule.dt);
            for (uint32_t i = first; Rule::langevin && i < end; i++) {
                double g[4];
                pairs_normal_numbers(rule.seed, step, i - first, g);
                for (int c = 0; c < 3; c++)
                    s.v[3 * i + c] = rule.keep * s.v[3 * i + c] + rule.noise / std::sqrt(s.mass[i]) * g[c];
            }
            if (Rule::langevin)
                drift(rule.dt / 2);
            plain_forces(rule, s, first, s.force);
            kick();
        }
    }
    return s;
}

/* ---- The kernel ---------------------------------------------------------------------------------------------------- */

struct setting {
    uint32_t count, systems, cluster, room;
    float skin;
};

/* The fields of a batch, whose rows are padded. */
struct batch {
    std::vector<double> bytes[5];
    small_job job = {};

    batch(liquid &s, float reach, float skin, uint32_t room)
    {
        const size_t sizes[] = {24, 24, 8, 4, 24};
        for (int k = 0; k < 5; k++) {
            job.apart[k] = (s.count * sizes[k] + 64 * (k + 1)) / 8 * 8;
            bytes[k].assign(job.apart[k] / 8 * s.systems, NAN);
        }
        copy(s, true);
        job.fields = {{bytes[0].data(), 3, 1},
                      {bytes[1].data(), 3, 1},
                      {bytes[2].data(), 1, 1},
                      {bytes[3].data(), 1, 1},
                      {bytes[4].data(), 3, 1}};
        job.systems = s.systems;
        job.space.count = s.count;
        engine_space_set(&job.space, nullptr, EDGE, reach, skin, room);
    }

    void copy(liquid &s, bool in)
    {
        const size_t sizes[] = {24, 24, 8, 4, 24};
        char *const whole[] = {(char *) s.x.data(), (char *) s.v.data(), (char *) s.mass.data(),
                               (char *) s.species.data(), (char *) s.force.data()};
        for (int k = 0; k < 5; k++)
            for (uint32_t system = 0; system < s.systems; system++) {
                char *const here = (char *) bytes[k].data() + system * job.apart[k];
                char *const there = whole[k] + system * s.count * sizes[k];
                memcpy(in ? here : there, in ? there : here, s.count * sizes[k]);
            }
    }
};

/* What systems have of their own. The kernel then needs neither the rule nor the box of all. */
template <class Rule>
static std::vector<small_system<struct rule>> make_differ(Rule &rule, small_job &job, const setting &with)
{
    std::vector<small_system<struct rule>> each(job.systems);
    for (uint32_t system = 0; system < job.systems; system++) {
        each[system].of = differing(rule, system);
        each[system].of.seed -= system;
        each[system].space.count = job.space.count;
        engine_space_set(&each[system].space, nullptr, each[system].of.edge, rule.reach, with.skin, with.room);
    }
    const uint32_t count = job.space.count;
    memset((void *) &rule, 0xff, sizeof rule);
    memset((void *) &job.space, 0xff, sizeof job.space);
    job.space.count = count;
    return each;
}

template <uint32_t LANES, bool DIFFER, class Rule>
static liquid kernel_steps(Rule rule, liquid s, const setting &with, uint32_t steps)
{
    batch batch(s, rule.reach, with.skin, with.room);
    small_job &job = batch.job;
    small_memory ignored;
    const uint32_t blocks = BLOCKS / with.cluster * with.cluster;
    job.blocks = cluster = with.cluster;
    job.each = (s.count + with.cluster - 1) / with.cluster;
    job.room = (std::min(with.room, s.count) + 31) / 32 * 32;
    std::vector<small_entries> lists(blocks * job.each * job.room / SMALL_AHEAD);
    std::vector<unsigned long long> lost(s.systems, ~0ull);
    job.lists = lists.data();
    job.lost = lost.data();
    job.steps = steps;
    std::vector<small_system<struct rule>> each;
    if (DIFFER)
        each = make_differ(rule, job, with);
    job.differ = DIFFER ? each.data() : nullptr;
    const size_t bytes =
        (size_t) (small_own<Rule>(nullptr, small_divide(nullptr, s.count, job.each, &ignored)) + DIFFER);
    for (uint32_t b = 0; b < blocks; b++)
        memory[b].assign(bytes / sizeof(double) + 1, NAN);
    launch_together([&] { small_steps<LANES, DIFFER, Rule>(rule, job); }, blocks, SMALL_THREADS);
    batch.copy(s, false);
    return s;
}

/* The same by the kernel for systems of middle size, with tiles * 32 particles in a block, and room for `most` tiles. */
template <class Rule>
static liquid middle_kernel_steps(Rule rule, liquid s, uint32_t tiles, uint32_t most, const setting &with,
                                  uint32_t steps)
{
    batch batch(s, rule.reach, with.skin, with.room);
    small_job &job = batch.job;
    small_memory ignored;
    middle_memory too;
    const uint32_t slots = 32 * small_tiles(s.count);
    job.each = 32 * tiles;
    job.blocks = (s.count + job.each - 1) / job.each;
    job.room = with.room;
    job.steps = steps;
    unsigned long long lost = ~0ull;
    job.lost = &lost;
    std::vector<small_seen> places(2 * slots);
    std::vector<uint32_t> id(slots, ~0u), low(slots, ~0u), length(slots, ~0u);
    const middle_world world = {places.data(), id.data(), low.data(), length.data(), nullptr, most};
    for (uint32_t b = 0; b < job.blocks; b++)
        memory[b].assign(middle_divide(nullptr, job, most, &ignored, &too) / sizeof(double) + 1, NAN);
    launch_together([&] { middle_steps<Rule>(rule, job, world); }, job.blocks, MIDDLE_THREADS);
    batch.copy(s, false);
    return s;
}

static bool same(const liquid &a, const liquid &b)
{
    const auto bits = [](const std::vector<double> &x, const std::vector<double> &y) {
        return memcmp(x.data(), y.data(), x.size() * sizeof(double)) == 0;
    };
    return bits(a.x, b.x) && bits(a.v, b.v) && bits(a.force, b.force);
}

template <uint32_t LANES, class Rule, bool DIFFER = false> static bool check(const setting &with)
{
    const Rule rule = make_rule<Rule>();
    const liquid start = make_liquid(with.count, with.systems);
    const liquid right = plain_steps(rule, DIFFER, start, 12),
                 found = kernel_steps<LANES, DIFFER>(rule, start, with, 12);
    const bool good = same(right, found) && !same(right, start);
    printf("%s%u particles, %u systems%s, clusters of %u, room %u, skin %g, %u lanes%s\n", good ? "ok " : "WRONG ",
           with.count, with.systems, DIFFER ? " that differ" : "", with.cluster, with.room, with.skin, LANES,
           Rule::langevin ? ", langevin" : "");
    return good;
}

template <class Rule> static bool check_middle(uint32_t tiles, uint32_t most, const setting &with)
{
    const Rule rule = make_rule<Rule>();
    const liquid start = make_liquid(with.count, 1);
    const liquid right = plain_steps(rule, false, start, 12),
                 found = middle_kernel_steps(rule, start, tiles, most, with, 12);
    const bool good = same(right, found) && !same(right, start);
    printf("%s%u particles, %u tiles in a block, room for %u, room %u, skin %g%s\n", good ? "ok " : "WRONG ",
           with.count, tiles, most, with.room, with.skin, Rule::langevin ? ", langevin" : "");
    return good;
}

/* ---- Measures ------------------------------------------------------------------------------------------------------ */

static bool near(double found, double right)
{
    return std::fabs(found - right) <= 1e-7 * (1 + std::fabs(right));
}

/* Energy and virial of a system of Lennard-Jones particles, its kinetic energy, and the particles of species 1. */
static bool measures_of(const liquid &s, uint32_t system, const pairs_plan &plan, const int64_t *terms,
                        const double *kinetic, const unsigned long long *counts)
{
    double energy = 0, virial = 0, moving = 0, found[2] = {0, 0}, blocks = 0;
    unsigned long long ones = 0;
    const uint32_t first = system * s.count;
    for (uint32_t i = 0; i < s.count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            double r2 = 0;
            for (int c = 0; c < 3; c++) {
                const double d = s.x[3 * (first + i) + c] - s.x[3 * (first + j) + c];
                r2 += std::pow(d - plan.box[c] * std::round(d / plan.box[c]), 2);
            }
            const uint32_t type = pairs_type((uint32_t) s.species[first + i], (uint32_t) s.species[first + j]);
            const double s6 = std::pow(plan.sigma[type] * plan.sigma[type] / r2, 3);
            if (r2 < CUTOFF * CUTOFF) {
                energy += 4 * plan.epsilon[type] * s6 * (s6 - 1);
                virial += 24 * plan.epsilon[type] * s6 * (2 * s6 - 1);
            }
        }
        for (int c = 0; c < 3; c++)
            moving += s.mass[first + i] / 2 * s.v[3 * (first + i) + c] * s.v[3 * (first + i) + c];
        ones += s.species[first + i] == 1;
    }
    for (uint32_t k = 0; k < 2 * small_tiles(s.count); k++)
        found[k % 2] += (double) terms[2 * k] / 2 + (double) terms[2 * k + 1] * 0x1p-41;
    for (uint32_t b = 0; b < (s.count + 1023) / 1024; b++)
        blocks += kinetic[b];
    return near(found[0], energy) && near(found[1], virial) && near(blocks, moving) && counts[1] == ones &&
           counts[0] == s.count - ones;
}

static bool check_measures(uint32_t count, uint32_t systems, bool differ)
{
    liquid s = make_liquid(count, systems);
    batch batch(s, (float) CUTOFF, 0.2f, 32);
    small_job &job = batch.job;
    std::vector<pairs_plan> plans(systems);
    std::vector<small_system<struct rule>> each(systems);
    for (uint32_t system = 0; system < systems; system++) {
        pairs_plan &plan = plans[system] = {};
        for (int c = 0; c < 3; c++)
            plan.box[c] = EDGE[c] * (differ ? 1 + 0.04 * system : 1);
        for (uint32_t type = 0; type < PAIRS_TYPES; type++) {
            plan.epsilon[type] = differ ? 1 + system : 1, plan.cutoff[type] = CUTOFF;
            plan.sigma[type] = type == 0 ? 1 : 0.9;
        }
        each[system].space.count = count;
        engine_space_set(&each[system].space, nullptr, plan.box, (float) CUTOFF, 0.2f, 32);
    }
    job.differ = differ ? each.data() : nullptr;
    const uint32_t tiles = small_tiles(count), blocks = (count + 1023) / 1024;
    std::vector<int64_t> terms(4 * tiles * systems, -1);
    std::vector<double> kinetic(blocks * systems, NAN);
    std::vector<unsigned long long> counts(PAIRS_SPECIES_MAX * systems);
    unsigned long long wrong[2] = {~0ull, ~0ull};
    const auto launch = [](uint64_t threads, std::function<void()> kernel) {
        launch_here(kernel, (unsigned) ((threads + MEASURE_THREADS - 1) / MEASURE_THREADS), MEASURE_THREADS);
    };
    launch(32 * tiles * systems, [&] { add_all_pairs(job, plans.data(), nullptr, terms.data()); });
    launch(32 * blocks * systems, [&] { add_kinetic(job, kinetic.data()); });
    launch(count * systems, [&] { count_species(job, counts.data()); });
    launch(count * systems, [&] { find_wrong(job, 2, 3, &wrong[0]); });
    const uint32_t bad = count * systems - 1;
    *(double *) ((char *) batch.bytes[2].data() + (systems - 1) * job.apart[2] + 8 * (count - 1)) = 0; /* a mass */
    launch(count * systems, [&] { find_wrong(job, 2, 3, &wrong[1]); });
    bool good = wrong[0] == ~0ull && wrong[1] == bad;
    for (uint32_t k = 0; k < systems; k++)
        good =
            measures_of(s, k, plans[k], &terms[4 * tiles * k], &kinetic[blocks * k], &counts[PAIRS_SPECIES_MAX * k]) &&
            good;
    printf("%smeasures of %u particles, %u systems%s\n", good ? "ok " : "WRONG ", count, systems,
           differ ? " that differ" : "");
    return good;
}

/* Numbers on both sides of the boundaries of places. */
static bool check_places()
{
    typedef typed_rule<PAIRS_LJ, true, false> one;
    const one rule = make_rule<one>();
    small_job job = {};
    engine_space_set(&job.space, nullptr, EDGE, rule.reach, 0.2f, 32);
    const small_block<4, one> block = {{rule, job.space, job, {}, 0, 0, 0, 0, 0, 0, 0, 0}};
    uint64_t wrong = 0, random = 1;
    for (int k = 0; k < 300000; k++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const int c = k % 3;
        double x = k < 30 ? EDGE[c] : EDGE[c] / 4294967296.0 * (double) (random >> 32);
        for (uint64_t away = random >> 8 & 3; away > 0; away--)
            x = std::nextafter(x, random >> 12 & 1 ? -1 : 9);
        wrong += block.place_of(c, EDGE[c], 0x1p32 / EDGE[c], x) != (uint32_t) place(x, EDGE[c]);
    }
    printf("%sthe places of 300000 positions\n", wrong ? "WRONG " : "ok ");
    return wrong == 0;
}

int main()
{
    typedef typed_rule<PAIRS_LJ, true, false> one;
    typedef typed_rule<PAIRS_LJ, false, false> mixture;
    typedef typed_rule<PAIRS_LJ, true, true> langevin;
    bool good = check_places();
    for (uint32_t count : {1u, 2u, 31u, 32u, 33u, 100u, 200u})
        for (uint32_t cluster : {1u, 2u}) {
            good = check<4, mixture>({count, 1, cluster, 192, 0.2f}) && good;
            good = check<8, one>({count, 1, cluster, 192, 0.2f}) && good;
        }
    good = check<4, one>({100, 3, 1, 192, 0.2f}) && good; /* a block takes two systems */
    good = check<8, one>({100, 3, 2, 192, 0.2f}) && good;
    good = check<8, langevin>({100, 2, 2, 192, 0.2f}) && good;
    good = check<4, mixture, true>({100, 3, 1, 192, 0.2f}) && good;
    good = check<8, langevin, true>({100, 3, 2, 192, 0.2f}) && good;
    good = check<8, one>({200, 1, 2, 64, 0.2f}) && good; /* some lists do not fit */
    good = check<8, one>({150, 1, 2, 192, 0}) && good;   /* lists for each step */
    for (uint32_t count : {1u, 33u, 200u})
        for (uint32_t tiles : {2u, 7u})
            good = check_middle<mixture>(tiles, 7, {count, 1, 0, 192, 0.2f}) && good;
    good = check_middle<langevin>(3, 7, {200, 1, 0, 192, 0.2f}) && good;
    good = check_middle<one>(2, 5, {200, 1, 0, 192, 0.2f}) && good; /* a block has no room for all that it sees */
    good = check_middle<one>(2, 7, {200, 1, 0, 64, 0.2f}) && good;  /* some lists do not fit */
    good = check_middle<one>(2, 7, {150, 1, 0, 192, 0}) && good;    /* lists for each step */
    for (uint32_t count : {1u, 33u, 100u, 1030u})
        good = check_measures(count, count > 1000 ? 1 : 5, count == 33) && good;
    EDGE[0] = 33, EDGE[1] = 30, EDGE[2] = 29; /* a block sees some tiles, or sees more than fit into its memory */
    good = check_middle<one>(3, 40, {1500, 1, 0, 32, 0.2f}) && good;
    good = check_middle<one>(3, 24, {1500, 1, 0, 32, 0.2f}) && good;
    return !good;
}
