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
 * This file has the torus whose rows are whole groups of 128 cells. Read it from top to bottom, beside the sums and the
 * rule of B3/S23 in cuda_word.cuh. cuda_stream_edges.cuh has what other grids add: a row that ends within a group, and
 * dead edges. cuda_stream_squares.cuh has the rules that do not count neighbours. */
#ifndef LIFE2D_STREAM_CUH
#define LIFE2D_STREAM_CUH

#include "cuda_group.cuh"
#include "cuda_word.cuh"

/* What a lane knows of the edges of its grid. These are of the torus of whole groups: the columns of a row go on at its
 * other end, and the lanes beside a lane hold the groups beside its own. The functions that are empty here have work to
 * do in the classes of cuda_stream_edges.cuh. */
struct whole_groups {
    __device__ __forceinline__ adjacent_lanes lanes() const
    {
        return adjacent_lanes();
    }
    __device__ __forceinline__ bool fetches() const
    {
        return true;
    }
    template <class JOB> __device__ __forceinline__ void fetch_second(const JOB &, uint32_t, uint32_t) const
    {
    }
    template <class LANE> __device__ __forceinline__ void join_stage(const LANE &) const
    {
    }
};

/* What clears the cells of a row beyond dead edges: a torus has none. */
struct nothing_beyond {
    __device__ __forceinline__ uint32_t row_of(uint32_t done) const
    {
        return done;
    }
    __device__ __forceinline__ void clear(uint32_t (&)[4], uint32_t) const
    {
    }
};

struct stream_launch {
    typedef whole_groups edges;
    static constexpr bool DEAD = false;
    const uint4 *source;
    uint4 *result;
    uint32_t groups, tail; /* groups of a row; cells in the last group */
    uint32_t height;
    uint32_t pitch, end;   /* in groups: from a row to the next, and from the first row to the end */
    uint32_t bands, slots; /* slots = bands * (groups + 2) */
    int32_t rows;          /* that a warp reads: those of the highest band, and LEVELS above and below it */
    life_factors factors;
    const uint32_t *done; /* NULL, or the steps of a series that were taken before (cuda_settled.cu) */
    uint32_t step;        /* of the series, at which this launch begins; it does nothing if *done is more */
};

/* ---- Levels ---------------------------------------------------------------------------------- */

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

/* The level of a rule. */
template <class RULE> struct level_of {
    typedef level type;
};

/* ---- The ring -------------------------------------------------------------------------------- */

__device__ __forceinline__ void fetch(uint32_t shared, const uint4 *from)
{
#ifdef __CUDACC__
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
#else
    life_host_copy(shared, from);
#endif
}

/* The ring of a warp. A stage holds ROWS rows, and then as many second groups, for lanes whose column is joined from
 * two. The loop's body covers four rows: two would need register moves at its end, because the sums of a level
 * alternate, and eight are too much for the instruction cache. */
template <int STAGES> struct stream_ring {
    enum { ROWS = 4, ROW = 32 * 16, SECOND = ROWS * ROW, STAGE = 2 * SECOND, BYTES = STAGES * STAGE };
};

/* A lane's slot and its progress. */
template <int RING, class EDGES> struct stream_lane : stream_ring<RING> {
    typedef stream_ring<RING> ring_type;

    uint4 *result;        /* the place of the next finished row, if the lane owns it */
    uint32_t from;        /* the row to fetch next, in groups from the source */
    uint32_t ring, stage; /* the address of the ring in shared memory; the stage to read next, in bytes */
    uint32_t done, rows;  /* finished rows, which wrap around from below zero; the rows that the lane owns */
    EDGES edges;

    /* Fetches the stage that is `ahead` of the next. */
    __device__ __forceinline__ void fetch_stage(const stream_launch &job, uint32_t ahead)
    {
        const uint32_t shared = ring + (stage + ahead * ring_type::STAGE) % ring_type::BYTES;
#pragma unroll
        for (int row = 0; row < ring_type::ROWS; row++) {
            if (edges.fetches())
                fetch(shared + row * ring_type::ROW, job.source + from);
            edges.fetch_second(job, shared + ring_type::SECOND + row * ring_type::ROW, from);
            from = min(from + job.pitch, from + job.pitch - job.end);
        }
        fetch_commit();
    }

    __device__ __forceinline__ void store_row(const stream_launch &job, const uint32_t (&word)[4])
    {
        if (done < rows)
            *result = make_uint4(word[0], word[1], word[2], word[3]);
        result += job.pitch;
        done++;
    }
};

/* The lane's slot, and the band, the rows and the column that belong to it. */
template <int LEVELS, int RING>
__device__ __forceinline__ stream_lane<RING, whole_groups> place_lane(const stream_launch &job, uint32_t shared)
{
    const int32_t lane = (int32_t) (threadIdx.x & 31), warp = (int32_t) ((blockIdx.x * blockDim.x + threadIdx.x) >> 5);
    const int32_t slot = 30 * warp + lane - 1;
    const uint32_t near = slot < 0 ? 0 : min((uint32_t) slot, job.slots - 1);
    const uint32_t band = near / (job.groups + 2), position = near - band * (job.groups + 2);
    const uint32_t first = (uint32_t) ((uint64_t) job.height * band / job.bands);
    const uint32_t last = (uint32_t) ((uint64_t) job.height * (band + 1) / job.bands);
    const bool owns = lane >= 1 && lane <= 30 && (uint32_t) slot == near && position >= 1 && position <= job.groups;

    stream_lane<RING, whole_groups> l;
    const uint32_t column = position == 0 ? job.groups - 1 : position > job.groups ? 0 : position - 1;
    l.from = (first + job.height - LEVELS % job.height) % job.height * job.pitch + column;
    l.result = job.result + ((int64_t) first - 2 * LEVELS) * job.pitch + ((int64_t) position - 1);
    l.done = 0u - 2 * LEVELS;
    l.rows = owns ? last - first : 0;
    l.ring = shared + (threadIdx.x >> 5) * l.BYTES + (threadIdx.x & 31) * 16;
    l.stage = 0;
    return l;
}

/* ---- Marching -------------------------------------------------------------------------------- */

/* Takes a row through the first COUNT levels. */
template <int COUNT, int ODD, int LEVELS, class LANE, class BEYOND, class RULE>
__device__ __forceinline__ void take_levels(const stream_launch &job, const LANE &l, const BEYOND &beyond,
                                            typename level_of<RULE>::type (&levels)[LEVELS], uint32_t (&word)[4],
                                            const RULE &rule)
{
    const uint32_t row = beyond.row_of(l.done) + ODD;
    beyond.clear(word, row);
#pragma unroll
    for (int i = 0; i < COUNT; i++) {
        levels[i].template step<ODD>(word, l.edges.lanes(), job.factors, rule);
        beyond.clear(word, row - 1 - i);
    }
}

/* Marches over at least `rows` rows, in whole stages, with the first COUNT levels. */
template <int COUNT, int LEVELS, int RING, class EDGES, class BEYOND, class RULE>
__device__ __forceinline__ void march(const stream_launch &job, stream_lane<RING, EDGES> &l, const BEYOND &beyond,
                                      typename level_of<RULE>::type (&levels)[LEVELS], int32_t rows, const RULE &rule)
{
#pragma unroll 1
    for (; rows > 0; rows -= l.ROWS) {
        const uint32_t stage = l.ring + l.stage;
        fetch_wait<RING - 2>();
        l.edges.join_stage(l);
        l.fetch_stage(job, RING - 1);
        l.stage = (l.stage + l.STAGE) % l.BYTES;
#pragma unroll
        for (int row = 0; row < l.ROWS; row += 2) {
            uint32_t even[4], odd[4];
            read_shared(even, stage + row * l.ROW);
            read_shared(odd, stage + (row + 1) * l.ROW);
            take_levels<COUNT, 0>(job, l, beyond, levels, even, rule);
            take_levels<COUNT, 1>(job, l, beyond, levels, odd, rule);
            l.store_row(job, even);
            l.store_row(job, odd);
        }
    }
}

/* Level i has nothing to do before row 2 i, so levels join a few at a time. Returns the rows that this took, at most
 * 2 LEVELS - l.ROWS. */
template <int COUNT, int LEVELS, class LANE, class RULE>
__device__ __forceinline__ int32_t warm_up(const stream_launch &job, LANE &l,
                                           typename level_of<RULE>::type (&levels)[LEVELS], const RULE &rule)
{
    if constexpr (COUNT < LEVELS) {
        march<COUNT>(job, l, nothing_beyond(), levels, 2 * RULE::WARM_UP, rule);
        return 2 * RULE::WARM_UP + warm_up<COUNT + RULE::WARM_UP>(job, l, levels, rule);
    }
    return 0;
}

template <int LEVELS, int RING, class JOB, class RULE>
__device__ __forceinline__ void stream_levels(const JOB &job, const RULE &rule)
{
    const uint32_t shared = (uint32_t) __cvta_generic_to_shared(life2d_shared);
    stream_lane<RING, typename JOB::edges> l = place_lane<LEVELS, RING>(job, shared);
    typename level_of<RULE>::type levels[LEVELS];
    for (int i = 0; i < LEVELS; i++)
        levels[i].clear();
    for (uint32_t i = 0; i < RING - 1; i++)
        l.fetch_stage(job, i);
    const int32_t done = warm_up<RULE::WARM_UP>(job, l, levels, rule);
    march<LEVELS>(job, l, nothing_beyond(), levels, job.rows - done, rule);
}

#endif
