/* Kernels of 2D Life for a batch: many small universes, each of which stays on the chip for all steps of a call.
 *
 * life2d_batch: rows of 32, 64, 128 or 256 cells, and a height of 8, 16, ... 256. A row is one striped group of WORDS
 * words: cell x is bit x / WORDS of word x mod WORDS. So a row lies in one lane, the neighbours of a word are the words
 * beside it, and only the first and the last word need a rotation, which also wraps around the edge of the torus. A
 * lane holds BATCH_ROWS rows, and a universe of 64 x 64 takes eight lanes of a warp:
 *
 *     lane   0      1      2      3      4      5      6      7      8  ...
 *     rows   0-7    8-15   16-23  24-31  32-39  40-47  48-55  56-63  0-7
 *            |<------------------- universe 0 --------------------->|<- universe 1
 *
 * Each step, a lane gives the sums of its first and last row to the lanes beside it, by 4 shuffles for each word of a
 * row. Nothing else leaves a lane: there is no barrier, and no shared memory.
 *
 * life2d_batch_block: any other size that fits. A block has one universe in shared memory, in linear words of 32 cells.
 *
 * With dead edges along x, a shift takes the place of a rotation. Along y, masks clear what the first and the last lane
 * of a universe get; in shared memory, each state has a row of dead cells behind its last one.
 *
 * Instructions on a word of 32 cells a step for B3/S23 and WORDS = 2, BATCH_ROWS = 8, in the pipe for logic and shifts:
 * 1 majority, 1 rotation, 6 for the rule; beside it 2.5 multiply-adds and 0.5 shuffles. */
#ifndef LIFE2D_BATCH_CUH
#define LIFE2D_BATCH_CUH

#include "cuda_word.cuh"

enum { BATCH_ROWS = 8 };

/* ---- In registers ---------------------------------------------------------------------------- */

struct batch_job {
    static constexpr int DEAD = 0, DEAD_X = 0;
    const uint4 *source;
    uint4 *result;
    uint64_t universes;
    uint32_t lanes; /* of a universe, 1 ... 32: the height is lanes * BATCH_ROWS */
    uint32_t steps;
    life_factors factors;
};

/* The same for grids with dead edges, along x or not. */
template <int X> struct dead_batch_job : batch_job {
    static constexpr int DEAD = 1, DEAD_X = X;
    uint32_t dead; /* LIFE_DEAD_X, LIFE_DEAD_Y */
};

/* A row's words at its ends with their outer neighbours, and its sums of three neighbours each, low + 2 high. */
template <int WORDS> struct batch_line {
    uint32_t left, right;
    uint32_t low[WORDS], high[WORDS];
};

/* The low words of two sums that share an addition, as in life/cuda_words.cuh; of one sum where a row is one word. */
template <int WORDS>
__device__ __forceinline__ void add_line(batch_line<WORDS> &line, const uint32_t (&at)[WORDS + 2],
                                         const life_factors &k)
{
    for (int i = 0; i < WORDS; i += 2) {
        const uint32_t pair = at[i + 1] * k.one + at[i + 2];
        line.low[i] = line.high[i] * k.minus_two + (at[i] * k.one + pair);
        if (WORDS > 1)
            line.low[i + (WORDS > 1)] =
                line.high[i + (WORDS > 1)] * k.minus_two + (at[i + 2 + (WORDS > 1)] * k.one + pair);
    }
}

template <int DEAD_X, int WORDS>
__device__ __forceinline__ batch_line<WORDS> make_line(const uint32_t (&word)[WORDS], const life_factors &k)
{
    batch_line<WORDS> line;
    line.left = __funnelshift_l(DEAD_X ? 0 : word[WORDS - 1], word[WORDS - 1], 1);
    line.right = __funnelshift_r(word[0], DEAD_X ? 0 : word[0], 1);
    uint32_t at[WORDS + 2];
    at[0] = line.left, at[WORDS + 1] = line.right;
    for (int i = 0; i < WORDS; i++)
        at[i + 1] = word[i];
    for (int i = 0; i < WORDS; i++)
        line.high[i] = maj3(at[i], at[i + 1], at[i + 2]);
    add_line(line, at, k);
    return line;
}

template <int WORDS> __device__ __forceinline__ batch_line<WORDS> line_of_lane(const batch_line<WORDS> &own, int lane)
{
    batch_line<WORDS> line = own;
    for (int i = 0; i < WORDS; i++) {
        line.low[i] = __shfl_sync(~0u, own.low[i], lane);
        line.high[i] = __shfl_sync(~0u, own.high[i], lane);
    }
    return line;
}

template <int WORDS> __device__ __forceinline__ void clear_line(batch_line<WORDS> &line, uint32_t keep)
{
    for (int i = 0; i < WORDS; i++)
        line.low[i] &= keep, line.high[i] &= keep;
}

template <int WORDS, class RULE>
__device__ __forceinline__ void next_row(uint32_t (&word)[WORDS], const batch_line<WORDS> &above,
                                         const batch_line<WORDS> &here, const batch_line<WORDS> &below,
                                         const RULE &rule)
{
    uint32_t next[WORDS];
    for (int i = 0; i < WORDS; i++) {
        around n;
        n.left = i > 0 ? word[i > 0 ? i - 1 : 0] : here.left;
        n.cell = word[i];
        n.right = i < WORDS - 1 ? word[i < WORDS - 1 ? i + 1 : i] : here.right;
        n.above_low = above.low[i], n.above_high = above.high[i];
        n.here_low = here.low[i], n.here_high = here.high[i];
        n.below_low = below.low[i], n.below_high = below.high[i];
        next[i] = rule.next(n);
    }
    for (int i = 0; i < WORDS; i++)
        word[i] = next[i];
}

/* The lane that holds the rows above or below, in the same universe. With dead edges: 0 if there is none, else ~0. */
struct batch_lanes {
    int above, below;
    uint32_t keep_above, keep_below;
};

template <class JOB, int WORDS, class RULE>
__device__ __forceinline__ void batch_step(uint32_t (&row)[BATCH_ROWS][WORDS], const batch_lanes &lanes,
                                           const life_factors &k, const RULE &rule)
{
    batch_line<WORDS> here = make_line<JOB::DEAD_X>(row[0], k);
    const batch_line<WORDS> last = make_line<JOB::DEAD_X>(row[BATCH_ROWS - 1], k);
    batch_line<WORDS> end = line_of_lane(here, lanes.below);
    batch_line<WORDS> above = line_of_lane(last, lanes.above);
    if (JOB::DEAD) {
        clear_line(end, lanes.keep_below);
        clear_line(above, lanes.keep_above);
    }
#pragma unroll
    for (int r = 0; r < BATCH_ROWS; r++) {
        const batch_line<WORDS> below = r == BATCH_ROWS - 1 ? end
                                        : r == BATCH_ROWS - 2
                                            ? last
                                            : make_line<JOB::DEAD_X>(row[r < BATCH_ROWS - 1 ? r + 1 : r], k);
        next_row(row[r], above, here, below, rule);
        above = here;
        here = below;
    }
}

/* Lanes that have no universe compute the last one too, and store nothing. */
template <int WORDS, class JOB, class RULE>
__device__ __forceinline__ void batch_in_registers(const JOB &job, const RULE &rule)
{
    enum { GROUPS = BATCH_ROWS * WORDS / 4 }; /* of four words that a lane loads */
    const uint32_t lane = threadIdx.x & 31, together = 32 / job.lanes;
    const uint64_t warp = (blockIdx.x * (uint64_t) blockDim.x + threadIdx.x) / 32;
    const uint32_t slot = min(lane / job.lanes, together - 1), part = min(lane - slot * job.lanes, job.lanes - 1);
    const uint64_t universe = warp * together + slot;
    const uint64_t first = (min(universe, job.universes - 1) * job.lanes + part) * GROUPS;
    batch_lanes lanes = {(int) (slot * job.lanes + (part > 0 ? part - 1 : job.lanes - 1)),
                         (int) (slot * job.lanes + (part + 1 < job.lanes ? part + 1 : 0)), ~0u, ~0u};
    if constexpr (JOB::DEAD) {
        lanes.keep_above = (job.dead & LIFE_DEAD_Y) && part == 0 ? 0 : ~0u;
        lanes.keep_below = (job.dead & LIFE_DEAD_Y) && part + 1 == job.lanes ? 0 : ~0u;
    }
    uint32_t row[BATCH_ROWS][WORDS];
#pragma unroll
    for (int g = 0; g < GROUPS; g++) {
        const uint4 four = job.source[first + g];
        row[4 * g / WORDS][4 * g % WORDS] = four.x;
        row[(4 * g + 1) / WORDS][(4 * g + 1) % WORDS] = four.y;
        row[(4 * g + 2) / WORDS][(4 * g + 2) % WORDS] = four.z;
        row[(4 * g + 3) / WORDS][(4 * g + 3) % WORDS] = four.w;
    }
#pragma unroll 1
    for (uint32_t step = 0; step < job.steps; step++)
        batch_step<JOB>(row, lanes, job.factors, rule);
    if (lane >= together * job.lanes || universe >= job.universes)
        return;
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
        job.result[first + g] =
            make_uint4(row[4 * g / WORDS][4 * g % WORDS], row[(4 * g + 1) / WORDS][(4 * g + 1) % WORDS],
                       row[(4 * g + 2) / WORDS][(4 * g + 2) % WORDS], row[(4 * g + 3) / WORDS][(4 * g + 3) % WORDS]);
}

/* ---- In shared memory ------------------------------------------------------------------------ */

struct batch_block_job {
    static constexpr int DEAD = 0;
    const uint32_t *source;
    uint32_t *result;
    uint32_t words, height; /* of a row, in linear order; rows and universes follow each other without gaps */
    uint32_t tail;          /* cells in the last word of a row */
    uint32_t steps;
};

/* The same for grids with dead edges. X says nothing here. */
template <int X> struct dead_batch_block_job : batch_block_job {
    static constexpr int DEAD = 1;
    uint32_t dead; /* LIFE_DEAD_X, LIFE_DEAD_Y */
};

extern __shared__ uint32_t life2d_batch_shared[];

/* A column of words: where the words beside it are, and where the bits that cross the borders come from and go to. */
struct batch_column {
    uint32_t at, before, after; /* indices in a row */
    uint32_t from;              /* the bit of the word before that is the left neighbour of bit 0 */
    uint32_t to;                /* the last bit of the word; bit 0 of the word after is its right neighbour */
    uint32_t mask;
    uint32_t has_left, has_right; /* dead edges: 1 if there are cells on this side, else 0 */
};

template <class JOB> __device__ __forceinline__ batch_column column_at(uint32_t x, const JOB &job)
{
    batch_column c;
    c.at = x;
    c.before = x > 0 ? x - 1 : job.words - 1;
    c.after = x + 1 < job.words ? x + 1 : 0;
    c.from = x > 0 ? 31 : job.tail - 1;
    c.to = x + 1 < job.words ? 31 : job.tail - 1;
    c.mask = ~0u >> (31 - c.to);
    c.has_left = c.has_right = 1;
    if constexpr (JOB::DEAD) {
        c.has_left = !(job.dead & LIFE_DEAD_X) || x > 0;
        c.has_right = !(job.dead & LIFE_DEAD_X) || x + 1 < job.words;
    }
    return c;
}

/* A word of a row with its neighbours, and their sums. */
struct batch_word {
    uint32_t left, cell, right, low, high;
};

template <int DEAD> __device__ __forceinline__ batch_word read_word(const uint32_t *row, const batch_column &c)
{
    batch_word w;
    w.cell = row[c.at];
    w.left = w.cell << 1 | (row[c.before] >> c.from & (DEAD ? c.has_left : 1));
    w.right = w.cell >> 1 | (row[c.after] & (DEAD ? c.has_right : 1)) << c.to;
    w.low = xor3(w.left, w.cell, w.right);
    w.high = maj3(w.left, w.cell, w.right);
    return w;
}

/* Rows [y, end) of a column, from `now` to `next`. */
template <class JOB, class RULE>
__device__ __forceinline__ void next_column(const uint32_t *now, uint32_t *next, uint32_t y, uint32_t end,
                                            const batch_column &c, const JOB &job, const RULE &rule)
{
    uint32_t before = job.height - 1, behind = 0;
    if constexpr (JOB::DEAD)
        if (job.dead & LIFE_DEAD_Y)
            before = behind = job.height;
    batch_word above = read_word<JOB::DEAD>(now + (y > 0 ? y - 1 : before) * job.words, c);
    batch_word here = read_word<JOB::DEAD>(now + y * job.words, c);
    for (; y < end; y++) {
        const batch_word below = read_word<JOB::DEAD>(now + (y + 1 < job.height ? y + 1 : behind) * job.words, c);
        around n;
        n.left = here.left, n.cell = here.cell, n.right = here.right;
        n.above_low = above.low, n.above_high = above.high;
        n.here_low = here.low, n.here_high = here.high;
        n.below_low = below.low, n.below_high = below.high;
        next[y * job.words + c.at] = rule.next(n) & c.mask;
        above = here;
        here = below;
    }
}

/* A thread takes columns of BATCH_ROWS words. */
template <class JOB, class RULE> __device__ __forceinline__ void batch_in_block(const JOB &job, const RULE &rule)
{
    const uint32_t all = job.words * job.height, strips = (job.height + BATCH_ROWS - 1) / BATCH_ROWS;
    const uint64_t first = (uint64_t) blockIdx.x * all;
    uint32_t *now = life2d_batch_shared, *next = now + all + (JOB::DEAD ? job.words : 0);
    if (JOB::DEAD)
        for (uint32_t i = threadIdx.x; i < job.words; i += blockDim.x)
            now[all + i] = next[all + i] = 0;
    for (uint32_t i = threadIdx.x; i < all; i += blockDim.x)
        now[i] = job.source[first + i] & column_at(i % job.words, job).mask;
    __syncthreads();
    for (uint32_t step = 0; step < job.steps; step++) {
        for (uint32_t i = threadIdx.x; i < job.words * strips; i += blockDim.x) {
            const uint32_t y = i / job.words * BATCH_ROWS;
            next_column(now, next, y, min(y + BATCH_ROWS, job.height), column_at(i % job.words, job), job, rule);
        }
        __syncthreads();
        uint32_t *const other = now;
        now = next, next = other;
    }
    for (uint32_t i = threadIdx.x; i < all; i += blockDim.x)
        job.result[first + i] = now[i];
}

/* ---- Kernels --------------------------------------------------------------------------------- */

/* Words of a row, warps of a block, and blocks on a multiprocessor, which limit the registers of a lane. */
#define LIFE2D_FOR_BATCH_FORMS(FORM) FORM(1, 4, 10) FORM(2, 4, 8) FORM(4, 4, 5) FORM(8, 4, 3)

template <int WORDS, int WARPS, int BLOCKS, class JOB, class RULE>
__global__ void __launch_bounds__(32 * WARPS, BLOCKS)
    life2d_batch(const __grid_constant__ JOB job, const __grid_constant__ RULE rule)
{
    batch_in_registers<WORDS>(job, rule);
}

enum { BATCH_BLOCK_THREADS = 512, BATCH_MOST_SHARED = 96 << 10 }; /* of a block; the latter in bytes */

template <class JOB, class RULE>
__global__ void __launch_bounds__(BATCH_BLOCK_THREADS)
    life2d_batch_block(const __grid_constant__ JOB job, const __grid_constant__ RULE rule)
{
    batch_in_block(job, rule);
}

#endif
