/* The kernel of 2D Life for a batch: many small universes, each of which stays in registers for all steps of a call.
 *
 * It takes rows of 32, 64, 128 or 256 cells, and a height of 8, 16, ... 256. A row is one striped group of WORDS
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
 * This file has the torus. Read it from top to bottom, beside the rule of B3/S23 in cuda_word.cuh. cuda_batch_edges.cuh
 * has what dead edges add, and cuda_batch_block.cuh takes universes of other sizes.
 *
 * Instructions on a word of 32 cells a step for B3/S23 and WORDS = 2, BATCH_ROWS = 8, in the pipe for logic and shifts:
 * 1 majority, 1 rotation, 6 for the rule; beside it 2.5 multiply-adds and 0.5 shuffles. */
#ifndef LIFE2D_BATCH_CUH
#define LIFE2D_BATCH_CUH

#include "cuda_word.cuh"

enum { BATCH_ROWS = 8 };

/* ---- Rows ------------------------------------------------------------------------------------ */

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

template <class LANES, int WORDS>
__device__ __forceinline__ batch_line<WORDS> make_line(const uint32_t (&word)[WORDS], const life_factors &k)
{
    batch_line<WORDS> line;
    line.left = __funnelshift_l(LANES::beyond(word[WORDS - 1]), word[WORDS - 1], 1);
    line.right = __funnelshift_r(word[0], LANES::beyond(word[0]), 1);
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

/* ---- Steps ----------------------------------------------------------------------------------- */

/* What a lane knows of the edges of its universe. These are of a torus, whose ends are beside each other. */
struct batch_torus {
    int above, below; /* the lanes that hold the rows above and below, in the same universe */

    /* The word beyond the end of a row, which the word at its other end is. */
    static __device__ __forceinline__ uint32_t beyond(uint32_t other_end)
    {
        return other_end;
    }
    template <class JOB> __device__ __forceinline__ void find(const JOB &, uint32_t)
    {
    }
    /* The sums of the row below the lane's own, of which `first` is the first; and of the row above them. */
    template <int WORDS> __device__ __forceinline__ batch_line<WORDS> line_below(const batch_line<WORDS> &first) const
    {
        return line_of_lane(first, below);
    }
    template <int WORDS> __device__ __forceinline__ batch_line<WORDS> line_above(const batch_line<WORDS> &last) const
    {
        return line_of_lane(last, above);
    }
};

struct batch_job {
    typedef batch_torus lanes_type;
    static constexpr bool DEAD = false;
    const uint4 *source;
    uint4 *result;
    uint64_t universes;
    uint32_t lanes; /* of a universe, 1 ... 32: the height is lanes * BATCH_ROWS */
    uint32_t steps;
    life_factors factors;
};

template <class LANES, int WORDS, class RULE>
__device__ __forceinline__ void batch_step(uint32_t (&row)[BATCH_ROWS][WORDS], const LANES &lanes,
                                           const life_factors &k, const RULE &rule)
{
    batch_line<WORDS> here = make_line<LANES>(row[0], k);
    const batch_line<WORDS> last = make_line<LANES>(row[BATCH_ROWS - 1], k);
    const batch_line<WORDS> end = lanes.line_below(here);
    batch_line<WORDS> above = lanes.line_above(last);
#pragma unroll
    for (int r = 0; r < BATCH_ROWS; r++) {
        const batch_line<WORDS> below = r == BATCH_ROWS - 1 ? end
                                        : r == BATCH_ROWS - 2
                                            ? last
                                            : make_line<LANES>(row[r < BATCH_ROWS - 1 ? r + 1 : r], k);
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
    typename JOB::lanes_type lanes;
    lanes.above = (int) (slot * job.lanes + (part > 0 ? part - 1 : job.lanes - 1));
    lanes.below = (int) (slot * job.lanes + (part + 1 < job.lanes ? part + 1 : 0));
    lanes.find(job, part);
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
        batch_step(row, lanes, job.factors, rule);
    if (lane >= together * job.lanes || universe >= job.universes)
        return;
#pragma unroll
    for (int g = 0; g < GROUPS; g++)
        job.result[first + g] =
            make_uint4(row[4 * g / WORDS][4 * g % WORDS], row[(4 * g + 1) / WORDS][(4 * g + 1) % WORDS],
                       row[(4 * g + 2) / WORDS][(4 * g + 2) % WORDS], row[(4 * g + 3) / WORDS][(4 * g + 3) % WORDS]);
}

#endif
