/* Dead edges in the streaming form of 2D Life: beyond them, cells are 0 at every level.
 *
 * Along x, the columns at both ends of a row in the line of slots are dead columns. Their lanes fetch nothing, and see
 * themselves on both sides, so that they stay 0 without an operation. Other cells have to be cleared after each level:
 * those of rows above the first and below the last, and those behind the end of the last group. The code that clears is
 * as long as the other, and both together do not fit in the instruction cache. So the grid is cut into regions, and the
 * warps of those that need clearing have blocks of their own, which clear cells in every row:
 *
 *     +---------------------+----+      The first band and the last ones lie beside the edges. Their rows are at least
 *     |     first band      |    |      as many as the steps of a launch: the bands between never reach beyond the
 *     |---------------------|----|      edges. The last band is cut into bands of four rows, if it is so low.
 *     |        band         |    |
 *     |---------------------|----|      If the last group is not full, strips own it, and the group before it if
 *     |        band         |    |      cells from beyond the edge would reach that. A strip has one more column on
 *     |---------------------|----|      its left. It may have fewer rows than a band.
 *     |      last bands     |    |
 *     +---------------------+----+      slots  | first | last … | strips …  idle | band | band | … |
 *
 * A warp that has its scheduler for itself is faster, so blocks that clear cells may have idle warps. The regions there
 * can then have more rows, and end with the bands. The number of these blocks is even: on an H200, two blocks that follow
 * each other run on neighbouring multiprocessors, which share a cache of instructions.
 *
 * A rule that has births without neighbours clears dead columns too: warps with such a column clear in every row. */
#ifndef LIFE2D_STREAM_EDGES_CUH
#define LIFE2D_STREAM_EDGES_CUH

#include "cuda_bands.h"
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
    uint32_t dead;       /* LIFE_DEAD_X, LIFE_DEAD_Y; along the other axis the grid is a torus */
    uint32_t born_alone; /* the rule has births without neighbours */
    life2d_regions regions;
};

/* A slot: the rows of its part of the grid, and its column, -1 … groups. */
struct stream_slot {
    uint32_t first, last, column;
    bool owned;  /* the column belongs to the part */
    bool clears; /* the part needs clearing */
    bool at_top; /* the part is the first band */
    bool at_end; /* the part is a strip */
};

/* Slot `at` of parts of the rows, whose first column is `column`. Idle slots are dead columns. */
__device__ __forceinline__ void find_part(stream_slot &s, const life2d_parts &p, uint32_t top, uint32_t at,
                                          uint32_t column, uint32_t groups)
{
    const uint32_t part = min(at / p.width, p.count - 1), position = at - part * p.width;
    s.first = top + part * p.rows + min(part, p.more);
    s.last = s.first + p.rows + (part < p.more);
    s.owned = position - 1 < p.owned;
    s.column = position < p.width ? column + position : groups;
}

/* The number of this block in the order of slots. */
__device__ __forceinline__ uint32_t find_block(const life2d_regions &r)
{
    return blockIdx.x < r.before ? blockIdx.x + r.clearing : blockIdx.x - r.before;
}

/* Blocks that clear cells may have warps that do nothing. */
__device__ __forceinline__ bool is_idle(const stream_job &)
{
    return false;
}
template <int X> __device__ __forceinline__ bool is_idle(const dead_stream_job<X> &job)
{
    return find_block(job.regions) < job.regions.clearing && threadIdx.x / 32 >= job.regions.active;
}

/* The number of a warp among those that are not idle. */
__device__ __forceinline__ uint32_t find_warp(const life2d_regions &r)
{
    const uint32_t block = find_block(r), clearing = min(block, r.clearing);
    return clearing * r.active + (block - clearing) * r.warps + threadIdx.x / 32;
}

template <class JOB> __device__ __forceinline__ stream_slot find_slot(const JOB &job, uint32_t slot)
{
    const life2d_regions &r = job.regions;
    stream_slot s;
    s.clears = slot < r.bands.slot;
    s.at_top = slot < r.last.slot;
    s.at_end = slot >= r.strips.slot && s.clears;
    if (slot >= r.bands.slot)
        find_part(s, r.bands, r.top, slot - r.bands.slot, ~0u, job.groups);
    else if (slot >= r.strips.slot)
        find_part(s, r.strips, 0, slot - r.strips.slot, job.groups - r.strips.width, job.groups);
    else if (slot >= r.last.slot)
        find_part(s, r.last, r.bottom, slot - r.last.slot, ~0u, job.groups);
    else
        find_part(s, r.first, 0, slot, ~0u, job.groups);
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
    __device__ __forceinline__ bool warms_up() const
    {
        return true;
    }
    /* The rows of the march. */
    __device__ __forceinline__ int32_t rows(const stream_job &job) const
    {
        return job.rows;
    }
};

/* How a warp marches over a grid with dead edges: it clears cells in all rows or in none. */
struct march_edges {
    uint32_t base; /* row base + done comes next; no row lies beyond the edges of a torus */
    int32_t march; /* its rows */
    bool clears;
    bool
        warms; /* levels join: it begins some rows above its part, and there are no cells to clear until all levels work */

    /* A march begins at row `start`. A warp at the begin of a region may have a lane in the region before it. */
    template <class JOB>
    __device__ __forceinline__ void find_march(const JOB &job, const stream_slot &s, int32_t start, int32_t levels,
                                               uint32_t owned, bool clears)
    {
        const bool inside = start >= 0 && start + 2 * levels - LIFE2D_STAGE <= (int32_t) job.height;
        march = __reduce_max_sync(~0u, owned ? (int32_t) s.last + levels - start : 0);
        base = job.dead & LIFE_DEAD_Y ? s.first + levels : 1u << 30;
        this->clears = __any_sync(~0u, clears);
        warms = !this->clears || (!job.born_alone && __all_sync(~0u, !owned || (inside && !s.at_top && !s.at_end)));
    }
    __device__ __forceinline__ bool warms_up() const
    {
        return warms;
    }
    __device__ __forceinline__ int32_t rows(const stream_job &) const
    {
        return march;
    }
};

template <> struct stream_edges<DEAD_Y_ALONE> : march_edges {
    template <class JOB>
    __device__ __forceinline__ void find(const JOB &job, const stream_slot &s, int32_t start, int32_t levels,
                                         uint32_t owned)
    {
        find_march(job, s, start, levels, owned, owned && s.clears);
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
        find_march(job, s, start, levels, owned, (owned && s.clears) || (held == 0 && job.born_alone));
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
