/* The kernels of a batch of life2d-bit/cuda on the host, against plain loops that share no code with them. The kernels
 * also run with a rule that asymmetric mistakes cannot survive: each neighbour count has a next state of its own. */
#include "life_host.h"

#include <cstdio>

#include <life2d-bit/cuda_batch_block.cuh>
#include <life2d-bit/cuda_batch_edges.cuh>

uint32_t life2d_batch_shared[1 << 15];

typedef std::vector<uint8_t> states; /* of all universes, as the canonical array has them */

struct size {
    uint32_t width, height, universes, dead; /* LIFE_DEAD_X, LIFE_DEAD_Y */
};

/* ---- Plain loops ------------------------------------------------------------------------------------------------ */

static states plain_steps(states now, const size &s, const masks &rule, uint32_t steps)
{
    for (; steps > 0; steps--) {
        states next(now.size());
        for (uint32_t u = 0; u < s.universes; u++)
            for (uint32_t y = 0; y < s.height; y++)
                for (uint32_t x = 0; x < s.width; x++) {
                    auto at = [&](uint32_t i, uint32_t j) {
                        const bool beyond_x = x + j < 1 || x + j > s.width, beyond_y = y + i < 1 || y + i > s.height;
                        if ((beyond_x && (s.dead & LIFE_DEAD_X)) || (beyond_y && (s.dead & LIFE_DEAD_Y)))
                            return (uint8_t) 0;
                        return now[((uint64_t) u * s.height + (y + s.height + i - 1) % s.height) * s.width +
                                   (x + s.width + j - 1) % s.width];
                    };
                    uint32_t count = 0;
                    for (uint32_t i = 0; i < 3; i++)
                        for (uint32_t j = 0; j < 3; j++)
                            count += i == 1 && j == 1 ? 0 : at(i, j);
                    next[((uint64_t) u * s.height + y) * s.width + x] = (uint8_t) rule.next(at(1, 1), count);
                }
        now = next;
    }
    return now;
}

/* ---- Rules of the kernels --------------------------------------------------------------------------------------- */

/* A rule by masks, from what the kernel gives to its rules. */
struct rule_plain {
    masks rule;

    uint32_t next(const around &n) const
    {
        uint32_t result = 0;
        for (int bit = 0; bit < 32; bit++) {
            auto of = [&](uint32_t word) { return word >> bit & 1; };
            const uint32_t here = of(n.here_low) + 2 * of(n.here_high);
            const bool agrees = here == of(n.left) + of(n.cell) + of(n.right);
            result |= rule.next(of(n.cell), agrees ? neighbours_of(n, bit) : 0) << bit;
        }
        return result;
    }
};

/* ---- The kernels ------------------------------------------------------------------------------------------------ */

static const life_factors factors = {1, 0u - 2};

/* Word j, bit b of a row is cell b * group + j % group of the group. */
static std::vector<uint32_t> pack(const states &from, const size &s, uint32_t words, uint32_t group)
{
    std::vector<uint32_t> to((uint64_t) s.universes * s.height * words, 0);
    for (uint64_t row = 0; row < (uint64_t) s.universes * s.height; row++) {
        for (uint32_t x = 0; x < s.width; x++)
            to[row * words + x / 32 / group * group + x % group] |= (uint32_t) from[row * s.width + x]
                                                                    << x % (32 * group) / group;
        if (s.width % 32 && group == 1) /* the bits beyond the width may be anything */
            to[row * words + words - 1] |= 0xa5a5a5a5u << s.width % 32;
    }
    return to;
}

static states unpack(const std::vector<uint32_t> &from, const size &s, uint32_t words, uint32_t group)
{
    states to((uint64_t) s.universes * s.height * s.width);
    for (uint64_t row = 0; row < (uint64_t) s.universes * s.height; row++)
        for (uint32_t x = 0; x < s.width; x++)
            to[row * s.width + x] =
                from[row * words + x / 32 / group * group + x % group] >> x % (32 * group) / group & 1;
    return to;
}

/* The job of kernels that know of dead edges, or of those that do not. */
template <class JOB, class TORUS> static JOB with_edges(const TORUS &torus, uint32_t dead)
{
    JOB job;
    static_cast<TORUS &>(job) = torus;
    if constexpr (JOB::DEAD)
        job.dead = dead;
    return job;
}

template <class JOB, int WORDS, class RULE>
static states run_registers(const states &start, const size &s, const RULE &rule, uint32_t steps)
{
    std::vector<uint32_t> source = pack(start, s, WORDS, WORDS), result = guarded(source.size());
    const batch_job torus = {(const uint4 *) source.data(),
                             (uint4 *) result.data(),
                             s.universes,
                             s.height / (uint32_t) BATCH_ROWS,
                             steps,
                             factors};
    const JOB job = with_edges<JOB>(torus, s.dead);
    const uint32_t together = 32 / job.lanes, warps = (s.universes + together - 1) / together;
    launch_here([=] { batch_in_registers<WORDS>(job, rule); }, (warps + 3) / 4, 128);
    return is_guarded(result) ? unpack(result, s, WORDS, WORDS) : states();
}

template <class JOB, class RULE>
static states run_shared(const states &start, const size &s, const RULE &rule, uint32_t steps)
{
    const uint32_t words = (s.width + 31) / 32, strips = words * ((s.height + BATCH_ROWS - 1) / BATCH_ROWS);
    std::vector<uint32_t> source = pack(start, s, words, 1), result(source.size());
    const batch_block_job torus = {source.data(), result.data(), words, s.height, s.width - 32 * (words - 1), steps};
    const JOB job = with_edges<JOB>(torus, s.dead);
    launch_here([=] { batch_in_block(job, rule); }, s.universes, min(512u, (strips + 31) / 32 * 32));
    return unpack(result, s, words, 1);
}

template <class JOB, class RULE>
static states run_width(const states &start, const size &s, const RULE &rule, uint32_t steps)
{
    return s.width == 32    ? run_registers<JOB, 1>(start, s, rule, steps)
           : s.width == 64  ? run_registers<JOB, 2>(start, s, rule, steps)
           : s.width == 128 ? run_registers<JOB, 4>(start, s, rule, steps)
                            : run_registers<JOB, 8>(start, s, rule, steps);
}

template <class RULE>
static states run(const states &start, const size &s, const RULE &rule, uint32_t steps, bool registers)
{
    if (!registers)
        return s.dead ? run_shared<dead_batch_block_job<1>>(start, s, rule, steps)
                      : run_shared<batch_block_job>(start, s, rule, steps);
    return s.dead & LIFE_DEAD_X ? run_width<dead_batch_job<1>>(start, s, rule, steps)
           : s.dead             ? run_width<dead_batch_job<0>>(start, s, rule, steps)
                                : run_width<batch_job>(start, s, rule, steps);
}

/* ---- The test --------------------------------------------------------------------------------------------------- */

static int wrong = 0;

static void compare(const size &s, bool registers, uint32_t steps)
{
    static const masks life = {1u << 3, 1u << 2 | 1u << 3}, others[] = {{0x0c9, 0x1a6}, {0x152, 0x0b5}};
    uint32_t random = 1;
    states start((uint64_t) s.universes * s.height * s.width);
    for (uint8_t &cell : start)
        random = random * 1664525 + 1013904223, cell = random >> 28 < 6;
    bool right = run(start, s, rule_life(), steps, registers) == plain_steps(start, s, life, steps);
    for (const masks &rule : others)
        right = right && run(start, s, rule_plain{rule}, steps, registers) == plain_steps(start, s, rule, steps);
    wrong += !right;
    printf("%s - %u universes of %u x %u in %s, dead axes %u, %u steps\n", right ? "ok" : "not ok", s.universes,
           s.width, s.height, registers ? "registers" : "shared memory", s.dead, steps);
}

static void compare_shared(uint32_t dead)
{
    static const uint32_t sizes[][3] = {{1, 1, 3},   {1, 9, 2},  {9, 1, 2},  {2, 2, 2},     {3, 5, 5},    {31, 17, 2},
                                        {32, 20, 2}, {33, 7, 3}, {64, 9, 2}, {100, 100, 2}, {257, 40, 1}, {64, 64, 2}};
    for (const uint32_t(&s)[3] : sizes)
        compare({s[0], s[1], s[2], dead}, false, 5);
}

int main()
{
    for (uint32_t width = 32; width <= 256; width *= 2)
        for (uint32_t height : {8, 24, 64, 136})
            for (uint32_t universes : {1, 9})
                compare({width, height, universes, 0}, true, height == 24 ? 17 : 2);
    for (uint32_t dead = 1; dead < 4; dead++)
        for (uint32_t width = 32; width <= 256; width *= 2)
            compare({width, 24, 9, dead}, true, 17);
    compare({256, 256, 2, 0}, true, 3);
    for (uint32_t dead = 0; dead < 4; dead++)
        compare_shared(dead);
    return wrong > 0;
}
