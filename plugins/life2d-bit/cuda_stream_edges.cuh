/* Dead edges in the streaming form of 2D Life: beyond them, cells are 0 at every level.
 *
 * Along x, the columns at both ends of a row in the line of slots are dead columns. Their lanes fetch nothing, and see
 * themselves on both sides, so that they stay 0 without an operation. Some warps have to clear cells after each level:
 * those that march over rows above the first or below the last row, for as long as this lasts; and those with cells
 * behind the end of a group, or with a rule that has births without neighbours, always.
 *
 * Along y, the slots of the first band and those of the last have warps of their own, and these bands have fewer rows
 * than the others, so that all warps end at the same time:
 *
 *     slots     | . c c c . |       | . c c c . | . c c c . | . c c c . |       | . c c c . |
 *     bands       0           idle    1           2           3           idle    4                   */
#ifndef LIFE2D_STREAM_EDGES_CUH
#define LIFE2D_STREAM_EDGES_CUH

#include "cuda_group.cuh"
#include "cuda_word.cuh"

/* Which edges a kernel knows. */
static constexpr int TORUS = 0, DEAD_Y_ALONE = 1, DEAD_X = 2;

struct stream_job {
    static constexpr int DEAD = TORUS;
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

/* The same for grids with dead edges. X: along x, else along y alone. */
template <int X> struct dead_stream_job : stream_job {
    static constexpr int DEAD = X ? DEAD_X : DEAD_Y_ALONE;
    uint32_t dead;                   /* LIFE_DEAD_X, LIFE_DEAD_Y; along the other axis the grid is a torus */
    uint32_t born_alone;             /* the rule has births without neighbours */
    uint32_t second_band, last_band; /* the slots at which these begin */
    uint32_t fewer;                  /* rows that the first band and the last one have less than others */
};

/* A slot: its band, the rows of the band, and its column, -1 … groups. */
struct stream_slot {
    uint32_t band, first, last, column;
};

template <class JOB> __device__ __forceinline__ uint32_t first_row(const JOB &job, uint32_t band)
{
    const uint64_t row = ((uint64_t) job.height + 2 * job.fewer) * band / job.bands;
    return (uint32_t) (row < job.fewer ? 0 : min(row - job.fewer, (uint64_t) job.height));
}

/* Idle slots are dead columns of the band before them. */
template <class JOB> __device__ __forceinline__ stream_slot find_slot(const JOB &job, uint32_t slot)
{
    const uint32_t width = job.groups + 2;
    uint32_t begin = 0;
    stream_slot s;
    s.band = 0;
    if (slot >= job.last_band) {
        s.band = job.bands - 1, begin = job.last_band;
    } else if (slot >= job.second_band) {
        s.band = 1 + min((slot - job.second_band) / width, job.bands - 3);
        begin = job.second_band + (s.band - 1) * width;
    }
    s.first = first_row(job, s.band), s.last = first_row(job, s.band + 1);
    s.column = min(slot - begin, width - 1) - 1;
    return s;
}

/* The edges of the grid at a lane: a torus knows nothing of them. */
template <int DEAD> struct stream_edges {
    __device__ __forceinline__ adjacent_lanes lanes() const
    {
        return adjacent_lanes();
    }
    __device__ __forceinline__ bool fetches() const
    {
        return true;
    }
};

/* How a march goes on beside dead edges. */
struct march_edges {
    uint32_t base;       /* row base + done comes next; no row lies beyond the edges of a torus */
    int32_t top, bottom; /* the rows of the march that need no clearing in any lane of the warp: top <= row < bottom */
    int32_t rows;        /* of the march */

    /* A march begins at row `start`. Level i makes row r - i - 1 when it gets row r, so cells above the grid are
     * cleared until row `levels` has come. ALWAYS: some cell of the lane is cleared in every row. */
    template <class JOB>
    __device__ __forceinline__ void find_march(const JOB &job, const stream_slot &s, int32_t start, int32_t levels,
                                               uint32_t owned, bool always)
    {
        const bool dead_y = job.dead & LIFE_DEAD_Y;
        base = dead_y ? s.first + levels : 1u << 30;
        top = __reduce_max_sync(~0u, always ? INT32_MAX : dead_y ? levels - start : 0);
        bottom = __reduce_min_sync(~0u, dead_y ? (int32_t) job.height - start : INT32_MAX);
        rows = __reduce_max_sync(~0u, owned ? (int32_t) s.last + levels - start : 0);
    }
};

template <> struct stream_edges<DEAD_Y_ALONE> : march_edges {
    template <class JOB>
    __device__ __forceinline__ void find(const JOB &job, const stream_slot &s, int32_t start, int32_t levels,
                                         uint32_t owned)
    {
        find_march(job, s, start, levels, owned, false);
    }
    __device__ __forceinline__ adjacent_lanes lanes() const
    {
        return adjacent_lanes();
    }
    __device__ __forceinline__ bool fetches() const
    {
        return true;
    }
};

template <> struct stream_edges<DEAD_X> : march_edges {
    chosen_lanes beside;
    uint32_t held; /* the cells of the group that lie in the grid; 0: a dead column */

    template <class JOB>
    __device__ __forceinline__ void find(const JOB &job, const stream_slot &s, int32_t start, int32_t levels,
                                         uint32_t owned)
    {
        const int32_t lane = (int32_t) (threadIdx.x & 31);
        held = s.column >= job.groups ? 0 : s.column == job.groups - 1 ? job.tail : 128;
        beside.left = held == 0 ? lane : max(lane - 1, 0);
        beside.right = held == 0 ? lane : min(lane + 1, 31);
        find_march(job, s, start, levels, owned, held == 0 ? job.born_alone : held < 128);
    }
    __device__ __forceinline__ const chosen_lanes &lanes() const
    {
        return beside;
    }
    __device__ __forceinline__ bool fetches() const
    {
        return held != 0;
    }
};

/* Clears the cells of rows beyond dead edges. */
template <int DEAD> struct clearing {
    uint32_t height;   /* rows from here on lie beyond the edges */
    uint32_t cells[4]; /* DEAD_X: the cells of the group that lie in the grid */

    template <class JOB> __device__ __forceinline__ void find(const JOB &job, const stream_edges<DEAD> &e)
    {
        height = job.dead & LIFE_DEAD_Y ? job.height : ~0u;
        if constexpr (DEAD == DEAD_X)
            first_cells(cells, e.held);
    }

    __device__ __forceinline__ void clear(uint32_t (&word)[4], uint32_t row) const
    {
        const uint32_t inside = row < height ? ~0u : 0;
        for (int i = 0; i < 4; i++)
            word[i] &= DEAD == DEAD_X ? cells[i] & inside : inside;
    }
};

#endif
