/* The streaming form of 2D Life: LEVELS steps a launch.
 *
 * A warp marches down its columns. It reads a row in every iteration and takes LEVELS steps in its registers, each a
 * row behind the one before. Each level keeps the last row, and the sums of the last two:
 *
 *     row read          r          r + 1      r + 2        level 0 makes step 1 of row r - 1 when it gets row r,
 *     level 0 makes     r - 1      r          r + 1        level 1 makes step 2 of row r - 2 from that,
 *     level 1 makes     r - 2      r - 1      r            and so on: row r - LEVELS leaves finished
 *
 * Rows come through a ring in shared memory, by cp.async; each lane fills and reads its own part. The grid is cut into
 * bands of rows. A band takes groups + 2 slots of a line of slots, one more than its columns on each side:
 *
 *     slots     | . c c c ... c . | . c c c ... c . |     band 0, band 1, …
 *     warp 0      =*************=                         a warp has 32 slots and owns 30 of them (*); each step makes
 *     warp 1                  =*************=             one more cell of each outer slot (=) wrong
 *
 * So no width leaves lanes idle, and a warp may work on two bands.
 *
 * cuda_stream_edges.cuh has dead edges. */
#ifndef LIFE2D_STREAM_CUH
#define LIFE2D_STREAM_CUH

#include "cuda_stream_edges.cuh"

/* One step of the march. */
struct level {
    cells row;  /* the row that came last */
    sums at[2]; /* the sums of that row and of the row above it; at[ODD] of `step` is the row above */

    __device__ __forceinline__ void clear()
    {
        for (int i = 0; i < 4; i++)
            row.word[i] = at[0].low[i] = at[0].high[i] = at[1].low[i] = at[1].high[i] = 0;
        row.left = row.right = 0;
    }

    /* Takes a row in `word`, and replaces it by the row above it, a step later. */
    template <int ODD, class LANES, class RULE>
    __device__ __forceinline__ void step(uint32_t (&word)[4], const LANES &lanes, const life_factors &k,
                                         const RULE &rule)
    {
        const cells below = with_sides(word, lanes);
        const sums below_sums = row_sums(below, k);
        for (int i = 0; i < 4; i++)
            word[i] = rule.next(around_word(row, at[ODD], at[1 - ODD], below_sums, i));
        row = below;
        at[ODD] = below_sums;
    }
};

/* The same for a rule that does not count neighbours. */
struct square_level {
    line at[2]; /* the row that came last and the row above it; at[ODD] of `step` is the row above */

    __device__ __forceinline__ void clear()
    {
        const cells dead = {{0, 0, 0, 0}, 0, 0};
        at[0] = at[1] = make_line(dead, {1, 0});
    }

    template <int ODD, class LANES, class RULE>
    __device__ __forceinline__ void step(uint32_t (&word)[4], const LANES &lanes, const life_factors &k,
                                         const RULE &rule)
    {
        const line below = make_line(with_sides(word, lanes), k);
        for (int i = 0; i < 4; i++)
            word[i] = rule.next(at[ODD], at[1 - ODD], below, i);
        at[ODD] = below;
    }
};

/* The level of a rule. */
template <class RULE> struct level_of {
    typedef level type;
};
template <> struct level_of<rule_of_squares> {
    typedef square_level type;
};

__device__ __forceinline__ void fetch(uint32_t shared, const uint4 *from)
{
#ifdef __CUDACC__
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
#else
    life_host_copy(shared, from);
#endif
}

/* A lane's slot and its progress. A stage of the ring holds ROWS rows, and then the second groups of those rows that
 * lanes at the seam need. The loop's body covers four rows: two would need register moves at its end, because the sums
 * of a level alternate, and eight are too much for the instruction cache. */
template <int RING, int DEAD> struct stream_lane {
    enum { ROWS = 4, ROW = 32 * 16, SECOND = ROWS * ROW, STAGE = 2 * SECOND, BYTES = RING * STAGE };

    uint4 *result;        /* the place of the next finished row, if the lane owns it */
    uint32_t from;        /* the row to fetch next, in groups from the source */
    uint32_t other;       /* the distance from there to the seam's second group */
    uint32_t ring, stage; /* the address of the ring in shared memory; the stage to read next, in bytes */
    uint32_t done, rows;  /* finished rows, which wrap around from below zero; the rows that the lane owns */
    uint32_t join;        /* the packed seam */
    bool at_seam;         /* some lane of the warp is at the seam */
    stream_edges<DEAD> edges;

    /* Fetches the stage that is `ahead` of the next. */
    __device__ __forceinline__ void fetch_stage(const stream_job &job, uint32_t ahead)
    {
        const uint32_t shared = ring + (stage + ahead * STAGE) % BYTES;
#pragma unroll
        for (int row = 0; row < ROWS; row++) {
            if (edges.fetches())
                fetch(shared + row * ROW, job.source + from);
            if (at_seam)
                fetch(shared + SECOND + row * ROW, job.source + (uint32_t) (from + other));
            from = min(from + job.pitch, from + job.pitch - job.end);
        }
        fetch_commit();
    }

    /* Clears the ring of a lane that fetches nothing. */
    __device__ __forceinline__ void clear_ring()
    {
        if (!edges.fetches())
            for (uint32_t row = ring; row < ring + BYTES; row += ROW)
                write_shared(row, {0, 0, 0, 0});
    }

    /* Joins the two groups of each lane in the ring. Lanes away from the seam keep their first group. */
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
__device__ __forceinline__ stream_lane<RING, TORUS> place_lane(const stream_job &job, uint32_t shared)
{
    const int32_t lane = (int32_t) (threadIdx.x & 31), warp = (int32_t) ((blockIdx.x * blockDim.x + threadIdx.x) >> 5);
    const int32_t slot = 30 * warp + lane - 1;
    const uint32_t near = slot < 0 ? 0 : min((uint32_t) slot, job.slots - 1);
    const uint32_t band = near / (job.groups + 2), position = near - band * (job.groups + 2);
    const uint32_t first = (uint32_t) ((uint64_t) job.height * band / job.bands);
    const uint32_t last = (uint32_t) ((uint64_t) job.height * (band + 1) / job.bands);
    const bool owns = lane >= 1 && lane <= 30 && (uint32_t) slot == near && position >= 1 && position <= job.groups;

    stream_lane<RING, TORUS> l;
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

/* The same for grids with dead edges. A warp of the first band begins at the first row instead of LEVELS rows above
 * it. */
template <int LEVELS, int RING, int X>
__device__ __forceinline__ stream_lane<RING, dead_stream_job<X>::DEAD> place_lane(const dead_stream_job<X> &job,
                                                                                  uint32_t shared)
{
    const uint32_t lane = threadIdx.x & 31, warp = find_warp(job.regions);
    const uint32_t slot = LIFE2D_OWNERS * warp + lane - 1, near = slot == ~0u ? 0 : min(slot, job.slots - 1);
    const stream_slot place = find_slot(job, near);
    const bool owns = lane >= 1 && lane <= LIFE2D_OWNERS && slot == near && place.owned;
    const uint32_t before = __all_sync(~0u, !owns || place.at_top) ? 0 : LEVELS;

    stream_lane<RING, dead_stream_job<X>::DEAD> l;
    uint32_t second;
    seam join = {0, 128, 128};
    uint32_t column = second = min(place.column, job.groups - 1);
    if (!X)
        column = column_sources((int32_t) place.column, job.groups, job.tail, &second, &join);
    l.join = pack_seam(join);
    l.at_seam = !X && __any_sync(~0u, join.from != 0 || join.to != 128);
    l.from = (place.first + job.height - before % job.height) % job.height * job.pitch + column;
    l.other = second - column;
    l.done = 0u - LEVELS - before;
    l.result = job.result + ((int64_t) place.first - LEVELS - before) * job.pitch + (int32_t) place.column;
    l.rows = owns ? place.last - place.first : 0;
    l.ring = shared + (threadIdx.x >> 5) * l.BYTES + (threadIdx.x & 31) * 16;
    l.stage = 0;
    l.edges.find(job, place, (int32_t) (place.first - before), LEVELS, l.rows);
    return l;
}

/* Takes a row through the first COUNT levels. */
template <int COUNT, int ODD, int LEVELS, int RING, int DEAD, class RULE>
__device__ __forceinline__ void take_levels(const stream_job &job, const stream_lane<RING, DEAD> &l,
                                            typename level_of<RULE>::type (&levels)[LEVELS], uint32_t (&word)[4],
                                            const RULE &rule)
{
#pragma unroll
    for (int i = 0; i < COUNT; i++)
        levels[i].template step<ODD>(word, l.edges.lanes(), job.factors, rule);
}

/* The same, and clears the cells beyond dead edges at each level. */
template <int COUNT, int ODD, int LEVELS, int RING, int DEAD, class RULE>
__device__ __forceinline__ void
take_cleared(const stream_job &job, const stream_lane<RING, DEAD> &l, const clearing<DEAD> &edges,
             typename level_of<RULE>::type (&levels)[LEVELS], uint32_t (&word)[4], const RULE &rule)
{
    const uint32_t row = l.edges.base + l.done + ODD;
    edges.clear(word, row);
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        levels[i].template step<ODD>(word, l.edges.lanes(), job.factors, rule);
        edges.clear(word, row - 1 - i);
    }
}

/* Marches over at least `rows` rows, in whole stages, with the first COUNT levels. MASKED: it clears cells. */
template <int COUNT, bool MASKED = false, int LEVELS, int RING, class JOB, class RULE>
__device__ __forceinline__ void march(const JOB &job, stream_lane<RING, JOB::DEAD> &l,
                                      typename level_of<RULE>::type (&levels)[LEVELS], int32_t rows, const RULE &rule)
{
    clearing<JOB::DEAD> edges;
    if constexpr (MASKED)
        edges.find(job, l.edges);
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
            if constexpr (MASKED) {
                take_cleared<COUNT, 0>(job, l, edges, levels, even, rule);
                take_cleared<COUNT, 1>(job, l, edges, levels, odd, rule);
            } else {
                take_levels<COUNT, 0>(job, l, levels, even, rule);
                take_levels<COUNT, 1>(job, l, levels, odd, rule);
            }
            l.store_row(job, even);
            l.store_row(job, odd);
        }
    }
}

/* Level i has nothing to do before row 2 i, so levels join a few at a time. Returns the rows that this took, at most
 * 2 LEVELS - LIFE2D_STAGE. */
template <int COUNT, int LEVELS, int RING, class JOB, class RULE>
__device__ __forceinline__ int32_t warm_up(const JOB &job, stream_lane<RING, JOB::DEAD> &l,
                                           typename level_of<RULE>::type (&levels)[LEVELS], const RULE &rule)
{
    if constexpr (COUNT < LEVELS) {
        march<COUNT>(job, l, levels, 2 * RULE::WARM_UP, rule);
        return 2 * RULE::WARM_UP + warm_up<COUNT + RULE::WARM_UP>(job, l, levels, rule);
    }
    return 0;
}

template <int LEVELS, int RING, class JOB, class RULE>
__device__ __forceinline__ void stream_levels(const JOB &job, const RULE &rule)
{
    if ((job.done && *job.done > job.step) || is_idle(job))
        return;
    const uint32_t shared = (uint32_t) __cvta_generic_to_shared(life2d_shared);
    stream_lane<RING, JOB::DEAD> l = place_lane<LEVELS, RING>(job, shared);
    typename level_of<RULE>::type levels[LEVELS];
    for (int i = 0; i < LEVELS; i++)
        levels[i].clear();
    if constexpr (JOB::DEAD != 0)
        l.clear_ring();
    for (uint32_t i = 0; i < RING - 1; i++)
        l.fetch_stage(job, i);
    const int32_t done = l.edges.warms_up() ? warm_up<RULE::WARM_UP>(job, l, levels, rule) : 0;
    if constexpr (JOB::DEAD != 0)
        if (l.edges.clears) {
            march<LEVELS, true>(job, l, levels, l.edges.march - done, rule);
            return;
        }
    march<LEVELS>(job, l, levels, l.edges.rows(job) - done, rule);
}

#endif
