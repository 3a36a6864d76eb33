/* Generations on a GPU: the kernels.
 *
 * In memory a cell is a byte. In a kernel, plane b holds bit b of 32 neighbouring cells in one word. A warp owns a strip
 * of 1024 columns and marches down a band of rows. The rows of all steps of a launch stay in registers: level 0 is the
 * state in memory, level t the state t steps later. When a row of level t arrives, the row before it has all its
 * neighbours and goes to level t + 1:
 *
 *     level 0     j   <- from memory
 *     level 1     j - 1   = next(rows j - 2 to j of level 0)
 *     level 2     j - 2   = next(rows j - 3 to j - 1 of level 1)
 *     …
 *
 * Of the two rows before the last one, a level keeps sums of three cells along x, in two words: these are all that a
 * neighbour needs. The lanes at the two sides of a strip become invalid, so strips overlap by 64 columns. Bands overlap
 * by a row for each step.
 *
 * On a torus the ghosts have the cells beyond the edges. Along an axis with dead edges there are no ghosts: a warp takes
 * the cells beyond for 0, and then keeps them 0 at every level. A mask of the cells in the grid goes with each row from
 * level to level. It is needed in one place: a cell of state 0 stays 0 if nothing is born there. */
#ifndef GENERATIONS_CUDA_KERNELS_CUH
#define GENERATIONS_CUDA_KERNELS_CUH

#define ENGINE_MINOR 12
#include <engine/plugin.h>
#include <engine/stencil_bits.cuh>
#include <life/dead_axes.h>

namespace generations
{

constexpr int LANES = 32, WARPS = 4, STRIP = 30 * 32; /* columns that a strip writes */

struct job {
    const uint8_t *source; /* cell (0, 0) */
    uint8_t *result;
    int64_t pitch, width, height;
    int32_t ghost; /* cells on each side of a row that may be read: 0 along an axis with dead edges */
    int32_t band;  /* rows of a band */
    int32_t steps; /* of this launch */
    uint32_t last; /* state: the next one is 0 */
    uint32_t survive, birth;
    uint32_t dead; /* LIFE_DEAD_X, LIFE_DEAD_Y; along the other axis the grid is a torus */
};

/* The planes that STATES states need. More than four states are a run-time value, job.last. */
template <int STATES> constexpr int planes_of = STATES <= 2 ? 1 : STATES <= 4 ? 2 : STATES <= 16 ? 4 : 8;

/* ---- The rule ----------------------------------------------------------------------------------------------------- */

/* The number T of live cells of three by three, as the adders leave it: T = low + 2 (carry + odd) + 4 high. */
struct total {
    uint32_t low, carry, odd, high;
};

/* A rule that is written into the PTX when the run starts (life/network_ptx.h). */
struct rule_written_later {
    __device__ rule_written_later(const job &)
    {
    }

    __device__ __forceinline__ uint32_t lives(const total &t, uint32_t cell) const
    {
        uint32_t result;
        asm("// LIFE_RULE %0 %1 %2 %3 %4 %5"
            : "=r"(result)
            : "r"(t.low), "r"(t.carry), "r"(t.odd), "r"(t.high), "r"(cell));
        return result;
    }
};

/* Any rule as numbers. T counts the cell itself: it is 0 … 8 beside a dead cell and 1 … 9 for a live one, so that
 * leaf[T] = cell ? survive[T - 1] : birth[T]. The bits of T choose among the leaves. */
struct rule_of_numbers {
    uint32_t dead[10], live[10];

    __device__ rule_of_numbers(const job &job)
    {
        ENGINE_BITS_UNROLL
        for (int t = 0; t < 10; t++) {
            dead[t] = 0u - (job.birth >> t & 1);
            live[t] = 0u - (job.survive << 1 >> t & 1);
        }
    }

    static __device__ __forceinline__ uint32_t choose(uint32_t which, uint32_t one, uint32_t zero)
    {
        return (which & one) | (~which & zero);
    }

    __device__ __forceinline__ uint32_t lives(const total &t, uint32_t cell) const
    {
        const uint32_t twos = t.carry ^ t.odd, fours = t.high ^ (t.carry & t.odd), eights = t.high & t.carry & t.odd;
        uint32_t pair[5];
        ENGINE_BITS_UNROLL
        for (int i = 0; i < 5; i++)
            pair[i] =
                choose(t.low, choose(cell, live[2 * i + 1], dead[2 * i + 1]), choose(cell, live[2 * i], dead[2 * i]));
        const uint32_t below = choose(fours, choose(twos, pair[3], pair[2]), choose(twos, pair[1], pair[0]));
        return choose(eights, pair[4], below);
    }
};

/* Cells of state 1. */
template <int PLANES> __device__ __forceinline__ uint32_t alive(const uint32_t (&plane)[PLANES])
{
    uint32_t others = 0;
    ENGINE_BITS_UNROLL
    for (int b = 1; b < PLANES; b++)
        others |= plane[b];
    return plane[0] & ~others;
}

/* Takes cells to their next states. `lives` tells for a dead or live cell whether it is alive in the next step.
 *
 *     state       0       1               2 …         last
 *     next        lives   lives ? 1 : 2   state + 1   0           */
template <int STATES>
__device__ __forceinline__ void take(uint32_t (&plane)[planes_of<STATES>], uint32_t lives, uint32_t last)
{
    constexpr int PLANES = planes_of<STATES>;
    const uint32_t low = plane[0];
    if constexpr (STATES == 2) {
        plane[0] = lives;
    } else if constexpr (STATES <= 4) {
        const uint32_t high = plane[1], wraps = STATES == 3 ? ~0u : low; /* a dying cell becomes 0 */
        plane[0] = (high & ~wraps) | (~high & lives);
        plane[1] = (high & ~wraps) | (~high & low & ~lives);
    } else {
        uint32_t dying = 0, wraps = ~0u, ones = low;
        ENGINE_BITS_UNROLL
        for (int b = 0; b < PLANES; b++) {
            dying |= b > 0 ? plane[b] : 0;
            wraps &= ~(plane[b] ^ (0u - (last >> b & 1)));
        }
        const uint32_t ages = (dying | (low & ~lives)) & ~wraps;
        plane[0] = (ages & ~low) | (lives & ~dying);
        ENGINE_BITS_UNROLL
        for (int b = 1; b < PLANES; b++) { /* state + 1: a bit changes where all bits below it are 1 */
            const uint32_t bit = plane[b];
            plane[b] = ages & (bit ^ ones);
            ones &= bit;
        }
    }
}

/* ---- A step ------------------------------------------------------------------------------------------------------- */

/* The number of live cells among three along x: sum[0] + 2 sum[1]. */
struct sums {
    uint32_t sum[2];
};

/* What a level keeps of the last two rows: the sums of both, and the states of the last one. */
template <int PLANES> struct level {
    sums row[2];
    uint32_t plane[PLANES];
    uint32_t alive;
    uint32_t inside; /* with dead edges: the cells of the last row that lie in the grid */
};

__device__ __forceinline__ sums sum_of(uint32_t alive, int lane)
{
    const uint32_t before = __shfl_sync(~0u, alive, lane - 1), after = __shfl_sync(~0u, alive, lane + 1);
    const uint32_t left = __funnelshift_l(before, alive, 1), right = __funnelshift_r(alive, after, 1);
    return {{left ^ alive ^ right, (left & alive) | (right & (left | alive))}};
}

__device__ __forceinline__ total total_of(const sums &a, const sums &b, const sums &c)
{
    const uint32_t x = a.sum[0], y = b.sum[0], z = c.sum[0], u = a.sum[1], v = b.sum[1], w = c.sum[1];
    return {x ^ y ^ z, (x & y) | (z & (x | y)), u ^ v ^ w, (u & v) | (w & (u | v))};
}

/* Takes the row before `plane` one step on, and replaces `plane` by it, and `inside` by its mask. row[odd] are the sums
 * of the row before that one. */
template <int STATES, bool DEAD, class Rule>
__device__ __forceinline__ void step(level<planes_of<STATES>> &level, uint32_t (&plane)[planes_of<STATES>],
                                     uint32_t &inside, int odd, int lane, const Rule &rule, uint32_t last, bool takes)
{
    constexpr int PLANES = planes_of<STATES>;
    const uint32_t lives_here = alive(plane);
    const sums fresh = sum_of(lives_here, lane);
    uint32_t next[PLANES];
    ENGINE_BITS_UNROLL
    for (int b = 0; b < PLANES; b++)
        next[b] = level.plane[b];
    if (takes) {
        const uint32_t lives = rule.lives(total_of(level.row[odd], level.row[1 - odd], fresh), level.alive);
        take<STATES>(next, DEAD ? lives & level.inside : lives, last);
    }
    const uint32_t mask = level.inside;
    level.inside = inside, inside = mask;
    level.row[odd] = fresh;
    level.alive = lives_here;
    ENGINE_BITS_UNROLL
    for (int b = 0; b < PLANES; b++) {
        level.plane[b] = plane[b];
        plane[b] = next[b];
    }
}

/* ---- Memory ------------------------------------------------------------------------------------------------------- */

struct alignas(16) bytes16 {
    uint32_t word[4];
};

/* Reads 32 cells. A row begins and ends at multiples of 64 bytes, so that all of them are in memory if one is a cell of
 * the grid or a ghost. */
__device__ __forceinline__ void load(uint32_t (&bytes)[8], const uint8_t *from)
{
    const bytes16 low = *(const bytes16 *) from, high = *(const bytes16 *) (from + 16);
    ENGINE_BITS_UNROLL
    for (int i = 0; i < 4; i++)
        bytes[i] = low.word[i], bytes[4 + i] = high.word[i];
}

/* Writes the first `count` of 32 cells. */
__device__ __forceinline__ void store(const uint32_t (&bytes)[8], uint8_t *to, int count)
{
    if (count >= 32) {
        *(bytes16 *) to = {{bytes[0], bytes[1], bytes[2], bytes[3]}};
        *(bytes16 *) (to + 16) = {{bytes[4], bytes[5], bytes[6], bytes[7]}};
        return;
    }
    ENGINE_BITS_UNROLL
    for (int i = 0; i < 32; i++)
        if (i < count)
            to[i] = (uint8_t) (bytes[i / 4] >> (8 * (i % 4)));
}

/* ---- The kernel --------------------------------------------------------------------------------------------------- */

/* The first cells of 32 from cell x on, as many as lie in a row of the grid. x is a multiple of 32. */
__device__ __forceinline__ uint32_t cells_inside(int64_t x, int64_t width)
{
    return x < 0 || x >= width ? 0 : width - x < 32 ? (1u << (width - x)) - 1 : ~0u;
}

/* The iterations of a march that read a row. */
struct reading {
    int32_t first, rows;

    __device__ __forceinline__ bool has(int i) const
    {
        return (uint32_t) (i - first) < (uint32_t) rows;
    }
};

/* A march reads `rows` rows, from row `begin` on. Rows beyond dead edges are not in memory. */
template <bool DEAD> __device__ __forceinline__ reading find_reading(const job &job, int64_t begin, int32_t rows)
{
    if (!DEAD || !(job.dead & LIFE_DEAD_Y))
        return {0, rows};
    const int32_t first = begin < 0 ? (int32_t) -begin : 0;
    return {first, (begin + rows < job.height ? rows : (int32_t) (job.height - begin)) - first};
}

/* Takes job.steps steps, at most LEVELS. ALL: exactly LEVELS; otherwise the levels beyond pass the rows on. DEAD: an axis
 * has dead edges. */
template <int STATES, int LEVELS, bool ALL, bool DEAD, class Rule> __device__ __forceinline__ void march(const job &job)
{
    constexpr int PLANES = planes_of<STATES>;
    const Rule rule(job);
    const int lane = (int) threadIdx.x;
    const int64_t x = (int64_t) blockIdx.x * STRIP - 32 + (int64_t) lane * 32;
    /* The shuffle tells the compiler that the number is the same for all lanes. */
    const int64_t number = (int64_t) blockIdx.y * WARPS + __shfl_sync(~0u, (int) threadIdx.y, 0);
    const int64_t begin = number * job.band, end = begin + job.band < job.height ? begin + job.band : job.height;
    if (begin >= end)
        return;
    const bool reads = x + 32 > -(int64_t) job.ghost && x < job.width + job.ghost;
    const bool writes = lane > 0 && lane < LANES - 1 && x < job.width;
    const int count = job.width - x < 32 ? (int) (job.width - x) : 32;

    /* Iteration i reads row begin - before + i and writes the row LEVELS before it. */
    const int before = ALL ? LEVELS : job.steps, rows = (int) (end - begin), iterations = rows + before + LEVELS;
    const uint8_t *from = job.source + (begin - before) * job.pitch + x;
    uint8_t *to = job.result + (begin - before - LEVELS) * job.pitch + x;
    const reading reading = find_reading<DEAD>(job, begin - before, rows + 2 * before);
    const uint32_t held = DEAD && (job.dead & LIFE_DEAD_X) ? cells_inside(x, job.width) : ~0u;
    level<PLANES> levels[LEVELS] = {};
    uint32_t coming[8] = {};
    if (reads && reading.has(0))
        load(coming, from);
    for (int first = 0; first < iterations; first += 2) {
        ENGINE_BITS_UNROLL
        for (int odd = 0; odd < 2; odd++) { /* after two iterations, each row is in the same registers again */
            const int i = first + odd;
            uint32_t plane[PLANES], inside = reading.has(i) ? held : 0;
            engine_to_planes(coming, plane);
            if constexpr (DEAD) /* memory behind a row has any values */
                for (uint32_t &bits : plane)
                    bits &= inside;
            from += job.pitch;
            if (reads && reading.has(i + 1))
                load(coming, from);
            ENGINE_BITS_UNROLL
            for (int t = 0; t < LEVELS; t++)
                step<STATES, DEAD>(levels[t], plane, inside, odd, lane, rule, job.last, ALL || t < job.steps);
            if (writes && i >= before + LEVELS && i < iterations) {
                uint32_t bytes[8];
                engine_from_planes(plane, bytes);
                store(bytes, to, count);
            }
            to += job.pitch;
        }
    }
}

/* The kernels: the most states, and the steps of a launch. */
#define GENERATIONS_FOR_FORMS(FORM) \
    FORM(2, 8) \
    FORM(3, 8) \
    FORM(4, 8) \
    FORM(16, 4) \
    FORM(256, 4)

} // namespace generations

#endif
