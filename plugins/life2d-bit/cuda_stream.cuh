/*
 * Streaming, LEVELS steps a launch.
 *
 * A warp marches down its columns, LEVELS steps behind one another in its registers: a row that comes in makes a row of
 * the next step right above it, and so on, so that the row LEVELS above leaves finished. Rows come through a ring in
 * shared memory that each lane fills and reads for itself.
 *
 * Lanes are dealt out along a line of slots. The grid is cut into bands of rows; each band takes groups + 2 slots,
 * its columns with one more on each side. A warp stands on 32 slots and owns the middle 30: what it computes in the
 * others goes wrong by a cell a step from the sides, of 128. So no width leaves lanes idle, and a warp may stand in two
 * bands.
 */
#ifndef LIFE2D_STREAM_CUH
#define LIFE2D_STREAM_CUH

#include "cuda_group.cuh"
#include "cuda_word.cuh"

struct stream_job {
    const uint4 *source;
    uint4 *result;
    uint32_t groups, tail; /* in a row; cells in the last of them */
    uint32_t height;
    uint32_t pitch, end;   /* from a row to the next and from the first row to the end, in groups */
    uint32_t bands, slots; /* slots = bands * (groups + 2) */
    int32_t rows;          /* to march: those of the highest band and LEVELS above and below */
    life_factors factors;
};

struct level {
    cells row;
    sums at[2]; /* of `row` and the row above it; which is which alternates */

    __device__ __forceinline__ void clear()
    {
        for (int i = 0; i < 4; i++)
            row.word[i] = at[0].low[i] = at[0].high[i] = at[1].low[i] = at[1].high[i] = 0;
        row.left = row.right = 0;
    }

    /* Takes in a row and makes it the row above it, a step later. */
    template <int ODD, class RULE>
    __device__ __forceinline__ void step(uint32_t (&word)[4], const life_factors &k, const RULE &rule)
    {
        const cells below = with_sides(word, adjacent_lanes());
        const sums below_sums = row_sums(below, k);
        for (int i = 0; i < 4; i++)
            word[i] = rule.next(around_word(row, at[ODD], at[1 - ODD], below_sums, i));
        row = below;
        at[ODD] = below_sums;
    }
};

__device__ __forceinline__ void fetch(uint32_t shared, const uint4 *from)
{
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
}

/* Where a lane stands, and how far it has come. A stage of the ring is a few rows, and then the seam's second groups of
 * them. Four rows at a time need no moves at the end of the loop, where the sums of a level change places; eight are
 * too much for the instruction cache. */
template <int RING> struct stream_lane {
    enum { ROWS = 4, ROW = 32 * 16, SECOND = ROWS * ROW, STAGE = 2 * SECOND, BYTES = RING * STAGE };

    uint4 *result;        /* where the next finished row goes, if it is one of the lane's */
    uint32_t from;        /* the row to fetch next, in groups from the source */
    uint32_t other;       /* the seam's second group, from there */
    uint32_t ring, stage; /* shared memory; the stage to read next, in bytes */
    uint32_t done, rows;  /* finished rows, below zero at first; how many the lane owns */
    uint32_t join;        /* the packed seam */
    bool at_seam;         /* any lane of the warp is */

    /* Fetches the stage that is `ahead` of the next. */
    __device__ __forceinline__ void fetch_stage(const stream_job &job, uint32_t ahead)
    {
        const uint32_t shared = ring + (stage + ahead * STAGE) % BYTES;
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            fetch(shared + row * ROW, job.source + from);
            if (at_seam)
                fetch(shared + SECOND + row * ROW, job.source + (uint32_t) (from + other));
            from = min(from + job.pitch, from + job.pitch - job.end);
        }
        fetch_commit();
    }

    /* Puts the seam's lanes together where they lie. */
    __device__ __forceinline__ void join_stage()
    {
#pragma unroll 1
        for (uint32_t row = ring + stage; row < ring + stage + SECOND; row += ROW) {
            uint32_t first[4], second[4];
            read_shared(first, row);
            read_shared(second, row + SECOND);
            join_groups(first, second, unpack_seam(join));
            write_shared(row, first);
        }
    }

    __device__ __forceinline__ void store_row(const stream_job &job, const uint32_t (&word)[4])
    {
        if (done < rows)
            *result = make_uint4(word[0], word[1], word[2], word[3]);
        result += job.pitch;
        done++;
    }
};

template <int LEVELS, int RING>
__device__ __forceinline__ stream_lane<RING> place_lane(const stream_job &job, uint32_t shared)
{
    const int32_t lane = (int32_t) (threadIdx.x & 31), warp = (int32_t) ((blockIdx.x * blockDim.x + threadIdx.x) >> 5);
    const int32_t slot = 30 * warp + lane - 1;
    const uint32_t near = slot < 0 ? 0 : min((uint32_t) slot, job.slots - 1);
    const uint32_t band = near / (job.groups + 2), position = near - band * (job.groups + 2);
    const uint32_t first = (uint32_t) ((uint64_t) job.height * band / job.bands);
    const uint32_t last = (uint32_t) ((uint64_t) job.height * (band + 1) / job.bands);
    const bool owns = lane >= 1 && lane <= 30 && (uint32_t) slot == near && position >= 1 && position <= job.groups;

    stream_lane<RING> l;
    uint32_t second;
    seam join;
    const uint32_t column = column_sources((int32_t) position - 1, job.groups, job.tail, &second, &join);
    l.join = pack_seam(join);
    l.at_seam = __any_sync(~0u, join.from != 0 || join.to != 128);
    l.from = (first + job.height - LEVELS % job.height) % job.height * job.pitch + column;
    l.other = second - column;
    l.result = job.result + ((int64_t) first - 2 * LEVELS) * job.pitch + ((int64_t) position - 1);
    l.done = 0u - 2 * LEVELS;
    l.rows = owns ? last - first : 0;
    l.ring = shared + (threadIdx.x >> 5) * l.BYTES + (threadIdx.x & 31) * 16;
    l.stage = 0;
    return l;
}

/* Marches over `rows` rows, in whole stages, with the first COUNT levels. */
template <int COUNT, int LEVELS, int RING, class RULE>
__device__ __forceinline__ void march(const stream_job &job, stream_lane<RING> &l, level (&levels)[LEVELS],
                                      int32_t rows, const RULE &rule)
{
#pragma unroll 1
    for (; rows > 0; rows -= l.ROWS) {
        const uint32_t stage = l.ring + l.stage;
        fetch_wait<RING - 2>();
        if (l.at_seam)
            l.join_stage();
        l.fetch_stage(job, RING - 1);
        l.stage = (l.stage + l.STAGE) % l.BYTES;
#pragma unroll
        for (int row = 0; row < l.ROWS; row += 2) {
            uint32_t even[4], odd[4];
            read_shared(even, stage + row * l.ROW);
            read_shared(odd, stage + (row + 1) * l.ROW);
#pragma unroll
            for (int i = 0; i < COUNT; i++)
                levels[i].template step<0>(even, job.factors, rule);
#pragma unroll
            for (int i = 0; i < COUNT; i++)
                levels[i].template step<1>(odd, job.factors, rule);
            l.store_row(job, even);
            l.store_row(job, odd);
        }
    }
}

/* Level i has nothing to do before row 2 i: they join a few at a time. Returns how many rows that took. */
template <int COUNT, int LEVELS, int RING, class RULE>
__device__ __forceinline__ int32_t warm_up(const stream_job &job, stream_lane<RING> &l, level (&levels)[LEVELS],
                                           const RULE &rule)
{
    if constexpr (COUNT < LEVELS) {
        march<COUNT>(job, l, levels, 2 * RULE::WARM_UP, rule);
        return 2 * RULE::WARM_UP + warm_up<COUNT + RULE::WARM_UP>(job, l, levels, rule);
    }
    return 0;
}

template <int LEVELS, int RING, class RULE>
__device__ __forceinline__ void stream_levels(const stream_job &job, const RULE &rule)
{
    const uint32_t shared = (uint32_t) __cvta_generic_to_shared(life2d_shared);
    stream_lane<RING> l = place_lane<LEVELS, RING>(job, shared);
    level levels[LEVELS];
    for (int i = 0; i < LEVELS; i++)
        levels[i].clear();
    for (uint32_t i = 0; i < RING - 1; i++)
        l.fetch_stage(job, i);
    const int32_t done = warm_up<RULE::WARM_UP>(job, l, levels, rule);
    march<LEVELS>(job, l, levels, job.rows - done, rule);
}

#endif
