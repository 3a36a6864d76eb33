/* What the streaming form of 2D Life (cuda_stream.cuh) adds for grids that are no torus of whole groups.
 *
 * A row of a torus that ends within a group has a seam (cuda_seam.cuh). Warps with a lane at the seam fetch a second
 * group for every row, and join the two in the ring before they read it.
 *
 * Beyond dead edges, cells are 0 at every level.
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
#include "cuda_seam.cuh"
#include "cuda_stream.cuh"

/* ---- A seam ---------------------------------------------------------------------------------- */

struct stream_seam : whole_groups {
    uint32_t other; /* the distance from the lane's group to the second one */
    uint32_t join;  /* the packed seam */
    bool at_seam;   /* some lane of the warp is at the seam */

    template <class JOB>
    __device__ __forceinline__ void fetch_second(const JOB &job, uint32_t shared, uint32_t from) const
    {
        if (at_seam)
            fetch(shared, job.source + (uint32_t) (from + other));
    }
    /* Joins the two groups of each lane in a stage of the ring. Lanes away from the seam keep their first group. */
    template <class LANE> __device__ __forceinline__ void join_stage(const LANE &l) const
    {
        if (at_seam)
            join_rows(l);
    }
    template <class LANE> __device__ __forceinline__ void join_rows(const LANE &l) const
    {
#pragma unroll 1
        for (uint32_t row = l.ring + l.stage; row < l.ring + l.stage + LANE::SECOND; row += LANE::ROW) {
            uint32_t first[4], second[4];
            read_shared(first, row);
            read_shared(second, row + LANE::SECOND);
            join_groups(first, second, unpack_seam(join));
            write_shared(row, first);
        }
    }
};

/* A torus of any width. */
struct stream_job : stream_launch {
    typedef stream_seam edges;
};

/* As in cuda_stream.cuh. If the two shared a function, nvcc would give the march other registers. */
template <int LEVELS, int RING>
__device__ __forceinline__ stream_lane<RING, stream_seam> place_lane(const stream_job &job, uint32_t shared)
{
    const int32_t lane = (int32_t) (threadIdx.x & 31), warp = (int32_t) ((blockIdx.x * blockDim.x + threadIdx.x) >> 5);
    const int32_t slot = 30 * warp + lane - 1;
    const uint32_t near = slot < 0 ? 0 : min((uint32_t) slot, job.slots - 1);
    const uint32_t band = near / (job.groups + 2), position = near - band * (job.groups + 2);
    const uint32_t first = (uint32_t) ((uint64_t) job.height * band / job.bands);
    const uint32_t last = (uint32_t) ((uint64_t) job.height * (band + 1) / job.bands);
    const bool owns = lane >= 1 && lane <= 30 && (uint32_t) slot == near && position >= 1 && position <= job.groups;

    stream_lane<RING, stream_seam> l;
    uint32_t second;
    seam join;
    const uint32_t column = column_sources((int32_t) position - 1, job.groups, job.tail, &second, &join);
    l.edges.join = pack_seam(join);
    l.edges.at_seam = __any_sync(~0u, join.from != 0 || join.to != 128);
    l.from = (first + job.height - LEVELS % job.height) % job.height * job.pitch + column;
    l.edges.other = second - column;
    l.result = job.result + ((int64_t) first - 2 * LEVELS) * job.pitch + ((int64_t) position - 1);
    l.done = 0u - 2 * LEVELS;
    l.rows = owns ? last - first : 0;
    l.ring = shared + (threadIdx.x >> 5) * l.BYTES + (threadIdx.x & 31) * 16;
    l.stage = 0;
    return l;
}

/* ---- Regions --------------------------------------------------------------------------------- */

template <int X> struct stream_dead;

/* The same for grids with dead edges. X: along x, else along y alone. */
template <int X> struct dead_stream_job : stream_launch {
    typedef stream_dead<X> edges;
    static constexpr bool DEAD = true;
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
__device__ __forceinline__ bool is_idle(const stream_launch &)
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

/* ---- Dead edges ------------------------------------------------------------------------------ */

/* How a warp marches over a grid with dead edges: it clears cells in all rows or in none. */
template <class COLUMNS> struct march_edges : COLUMNS {
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
};

template <> struct stream_dead<0> : march_edges<stream_seam> {
    template <class JOB>
    __device__ __forceinline__ void find(const JOB &job, const stream_slot &s, int32_t start, int32_t levels,
                                         uint32_t owned)
    {
        find_march(job, s, start, levels, owned, owned && s.clears);
    }
};

template <> struct stream_dead<1> : march_edges<whole_groups> {
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
template <int X> struct clearing {
    uint32_t base;     /* row base + done comes next */
    uint32_t height;   /* rows from here on lie beyond the edges */
    uint32_t cells[4]; /* X: the cells of the group that lie in the grid */

    __device__ __forceinline__ clearing(const dead_stream_job<X> &job, const stream_dead<X> &e)
    {
        base = e.base;
        height = job.dead & LIFE_DEAD_Y ? job.height : ~0u;
        if constexpr (X)
            first_cells(cells, e.held);
    }

    __device__ __forceinline__ uint32_t row_of(uint32_t done) const
    {
        return base + done;
    }
    __device__ __forceinline__ void clear(uint32_t (&word)[4], uint32_t row) const
    {
        const uint32_t inside = row < height ? ~0u : 0;
        for (int i = 0; i < 4; i++)
            word[i] &= X ? cells[i] & inside : inside;
    }
};

/* Clears the ring of a lane that fetches nothing. */
template <int RING, class EDGES> __device__ __forceinline__ void clear_ring(const stream_lane<RING, EDGES> &l)
{
    if (!l.edges.fetches())
        for (uint32_t row = l.ring; row < l.ring + l.BYTES; row += l.ROW)
            write_shared(row, {0, 0, 0, 0});
}

/* A warp of the first band begins at the first row instead of LEVELS rows above it. */
template <int LEVELS, int RING, int X>
__device__ __forceinline__ stream_lane<RING, stream_dead<X>> place_lane(const dead_stream_job<X> &job, uint32_t shared)
{
    const uint32_t lane = threadIdx.x & 31, warp = find_warp(job.regions);
    const uint32_t slot = LIFE2D_OWNERS * warp + lane - 1, near = slot == ~0u ? 0 : min(slot, job.slots - 1);
    const stream_slot place = find_slot(job, near);
    const bool owns = lane >= 1 && lane <= LIFE2D_OWNERS && slot == near && place.owned;
    const uint32_t before = __all_sync(~0u, !owns || place.at_top) ? 0 : LEVELS;

    stream_lane<RING, stream_dead<X>> l;
    uint32_t second;
    seam join = {0, 128, 128};
    uint32_t column = second = min(place.column, job.groups - 1);
    if constexpr (!X) {
        column = column_sources((int32_t) place.column, job.groups, job.tail, &second, &join);
        l.edges.join = pack_seam(join);
        l.edges.at_seam = __any_sync(~0u, join.from != 0 || join.to != 128);
    }
    l.from = (place.first + job.height - before % job.height) % job.height * job.pitch + column;
    if constexpr (!X)
        l.edges.other = second - column;
    l.done = 0u - LEVELS - before;
    l.result = job.result + ((int64_t) place.first - LEVELS - before) * job.pitch + (int32_t) place.column;
    l.rows = owns ? place.last - place.first : 0;
    l.ring = shared + (threadIdx.x >> 5) * l.BYTES + (threadIdx.x & 31) * 16;
    l.stage = 0;
    l.edges.find(job, place, (int32_t) (place.first - before), LEVELS, l.rows);
    return l;
}

template <int LEVELS, int RING, int X, class RULE>
__device__ __forceinline__ void stream_levels(const dead_stream_job<X> &job, const RULE &rule)
{
    const uint32_t shared = (uint32_t) __cvta_generic_to_shared(life2d_shared);
    stream_lane<RING, stream_dead<X>> l = place_lane<LEVELS, RING>(job, shared);
    typename level_of<RULE>::type levels[LEVELS];
    for (int i = 0; i < LEVELS; i++)
        levels[i].clear();
    clear_ring(l);
    for (uint32_t i = 0; i < RING - 1; i++)
        l.fetch_stage(job, i);
    const int32_t done = l.edges.warms ? warm_up<RULE::WARM_UP>(job, l, levels, rule) : 0;
    if (l.edges.clears)
        march<LEVELS>(job, l, clearing<X>(job, l.edges), levels, l.edges.march - done, rule);
    else
        march<LEVELS>(job, l, nothing_beyond(), levels, l.edges.march - done, rule);
}

/* ---- Any grid -------------------------------------------------------------------------------- */

template <int LEVELS, int RING, class JOB, class RULE>
__device__ __forceinline__ void stream_grid(const JOB &job, const RULE &rule)
{
    if ((job.done && *job.done > job.step) || is_idle(job))
        return;
    stream_levels<LEVELS, RING>(job, rule);
}

#endif
