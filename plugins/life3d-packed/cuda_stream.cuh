/* The streaming form of 3D Life: LEVELS steps a launch, one or two.
 *
 * A block marches along z over a slab of rows, two planes in each iteration. A lane has a group of 128 cells of one
 * row, a warp a few rows. Level 0 adds three rows of a plane, exchanges with the lanes beside it, and keeps the sums of
 * two planes in registers for the next iteration. Its results go through shared memory to level 1, an iteration later:
 *
 *     iteration            i                 i + 1             i + 2
 *     cp.async fetches     6 7               8 9               10 11        planes of the grid, into a ring
 *     level 0 sums         0 1               2 3               4 5
 *     level 0 makes       -1 0               1 2               3 4          one step later, into shared memory
 *     level 1 makes       -4 -3             -2 -1              0 1          two steps later, to the other grid
 *
 * Each step makes the outermost row of a slab wrong, so that neighbouring slabs overlap. A warp arrives at the barrier
 * in the middle of an iteration, when it has written what other warps will read. It waits for the others only at the
 * beginning of the next iteration, and works in between. The planes of all slabs form one line, which is cut into equal
 * parts, one for each block; at the end of a slab the block goes on with the next.
 *
 * This file has the torus whose rows are whole groups of 128 cells. Read it from top to bottom, beside the sums and the
 * rule in cuda_sum.cuh. cuda_stream_edges.cuh has what other grids add: a row that ends within a group, and dead edges.
 */
#ifndef LIFE3D_PACKED_CUDA_STREAM_CUH
#define LIFE3D_PACKED_CUDA_STREAM_CUH

#include "cuda_group.cuh"

struct stream_job {
    const uint4 *source;
    uint4 *result;
    uint32_t height, depth;
    uint32_t groups, tail; /* groups of a row; cells in the last group */
    uint32_t pitch, plane; /* in groups: from a row to the next, and from a plane to the next */
    uint32_t columns;      /* lanes of a row: one for each group of the row, or of a tile and its two neighbours */
    uint32_t tiles, width; /* tiles of a row; groups of a tile */
    uint32_t rows;         /* of a warp */
    uint32_t slabs, owned; /* slabs of the height; rows of a slab that no other slab makes */
    life_factors factors;
};

/* ---- Shared memory --------------------------------------------------------------------------- */

__device__ __forceinline__ void fetch(uint32_t shared, const uint4 *from, bool enabled)
{
#ifdef __CUDACC__
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0;\n@p cp.async.cg.shared.global [%0], [%1], 16; }" ::"r"(shared),
                 "l"(from), "r"((uint32_t) enabled)
                 : "memory");
#else
    if (enabled)
        life_host_copy(shared, from);
#endif
}

__device__ __forceinline__ void write_global(uint4 *to, const uint32_t (&word)[4], bool enabled)
{
#ifdef __CUDACC__
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %5, 0;\n@p st.global.v4.u32 [%0], {%1, %2, %3, %4}; }" ::"l"(to),
                 "r"(word[0]), "r"(word[1]), "r"(word[2]), "r"(word[3]), "r"((uint32_t) enabled)
                 : "memory");
#else
    if (enabled)
        *to = make_uint4(word[0], word[1], word[2], word[3]);
#endif
}

/* A barrier in two halves, arrive and wait: eight bytes of shared memory, at which every thread arrives once a phase.
 */
__device__ __forceinline__ void barrier_make(uint32_t barrier, uint32_t threads)
{
#ifdef __CUDACC__
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(threads) : "memory");
#else
    (void) barrier, (void) threads;
#endif
}

__device__ __forceinline__ void barrier_arrive(uint32_t barrier)
{
#ifdef __CUDACC__
    asm volatile("{ .reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(barrier) : "memory");
#else
    (void) barrier;
    arrive();
#endif
}

__device__ __forceinline__ void barrier_wait(uint32_t barrier, uint32_t phase)
{
#ifdef __CUDACC__
#if __CUDA_ARCH__ >= 900
#define WAIT "try_wait"
#else
#define WAIT "test_wait"
#endif
    asm volatile("{ .reg .pred done;\nagain:\nmbarrier." WAIT
                 ".parity.shared.b64 done, [%0], %1;\n@!done bra again; }" ::"r"(barrier),
                 "r"(phase)
                 : "memory");
#undef WAIT
#else
    (void) barrier;
    wait_for_phase(phase);
#endif
}

/* ---- Levels ---------------------------------------------------------------------------------- */

/* The place of a lane in its warp. */
struct stream_place {
    int left, right;    /* lanes that hold the groups beside its own */
    uint32_t row_bytes; /* in shared memory */
};

/* What a lane knows of the edges of its grid. These are of the torus of whole groups: the lanes beside a lane hold the
 * groups beside its own, and every row lies in the grid. The functions that are empty here have work to do in the
 * classes of cuda_stream_edges.cuh. */
struct whole_groups {
    /* The lane has moved to group `group` of a row. */
    template <class JOB> __device__ __forceinline__ void find(const JOB &, uint32_t)
    {
    }
    /* The lane has moved to a slab: to row `row` and group `group` there, neither of which is wrapped around the torus
     * yet, and to plane `begin`. */
    template <class JOB, class LANE>
    __device__ __forceinline__ void enter(const JOB &, const LANE &, uint32_t, uint32_t, uint32_t)
    {
    }
    template <class LANE> __device__ __forceinline__ void clear_rows(const LANE &) const
    {
    }
    /* Fetches a row of the next plane and, at the ends of the block, the one outside of it. */
    template <class LANE>
    __device__ __forceinline__ void fetch_rows(const LANE &l, uint32_t slot, const uint4 *own, const uint4 *outside)
    {
        fetch(l.shared + slot, own, l.active);
        fetch(l.extra + slot, outside, l.fetches);
    }
    /* The word that the lane on the right sees on its left. */
    __device__ __forceinline__ uint32_t last(const uint32_t (&word)[4]) const
    {
        return word[3];
    }
    __device__ __forceinline__ void clear_sides(uint32_t (&)[2], uint32_t (&)[2]) const
    {
    }
    /* Two rows are finished. */
    __device__ __forceinline__ void close(uint32_t (&)[4], uint32_t (&)[4], int) const
    {
    }
    /* Two planes of level 0 are finished. */
    __device__ __forceinline__ void clear_planes(uint32_t (&)[4], uint32_t (&)[4])
    {
    }
    __device__ __forceinline__ bool writes(bool active) const
    {
        return active;
    }
};

/* Makes the sums of a plane at a lane's place, and reads the cells there. */
template <class EDGES>
__device__ __forceinline__ void sum_plane(plane_sums (&sums)[4], uint32_t (&cell)[4], uint32_t shared,
                                          const stream_place &at, const EDGES &edges, const life_factors &k)
{
    uint32_t above[4], below[4];
    read_shared(above, shared - at.row_bytes);
    read_shared(cell, shared);
    read_shared(below, shared + at.row_bytes);
    const column_sums c = add_rows(above, cell, below, k);
    const uint32_t one = edges.last(c.one), two = edges.last(c.two);
    uint32_t left[2] = {__shfl_sync(~0u, one, at.left), __shfl_sync(~0u, two, at.left)};
    uint32_t right[2] = {__shfl_sync(~0u, c.one[0], at.right), __shfl_sync(~0u, c.two[0], at.right)};
    edges.clear_sides(left, right);
    add_columns(sums, c, left, right, k);
}

/* One step of the march: the sums of the last two planes that came, and the cells of the last one. */
struct stream_level {
    plane_sums before[4], last[4];
    uint32_t cell[4];

    /* Takes two planes. If it MAKES, it makes the next state of the last plane before them and of the first of the two.
     */
    template <bool MAKES, class EDGES, class RULE>
    __device__ __forceinline__ void step(uint32_t (&first)[4], uint32_t (&second)[4], uint32_t shared, uint32_t plane,
                                         const stream_place &at, const EDGES &edges, const life_factors &k,
                                         const RULE &rule)
    {
        plane_sums a[4], b[4];
        double_sums both[4];
        uint32_t here[4];
        sum_plane(a, here, shared, at, edges, k);
        if (MAKES)
            for (int i = 0; i < 4; i++) {
                both[i] = add_planes(last[i], a[i]);
                first[i] = rule.next(count_space(both[i], before[i], k), cell[i]);
            }
        sum_plane(b, cell, shared + plane, at, edges, k);
        if (MAKES)
            for (int i = 0; i < 4; i++)
                second[i] = rule.next(count_space(both[i], b[i], k), here[i]);
        for (int i = 0; i < 4; i++)
            before[i] = a[i], last[i] = b[i];
        if (MAKES)
            edges.close(first, second, at.right);
    }
};

/* ---- Marching -------------------------------------------------------------------------------- */

/* What a level does in an iteration: nothing, only the sums of its first planes, or a step. */
enum { NOTHING, SUMS, STEP };

/* A lane's part of a slab. Shared memory has RING stages of two planes of the grid (RAW bytes), and between two levels
 * three stages of planes a step later (LATER bytes). A plane has one more row on either side. */
template <int LEVELS, int WARPS, int RING, class EDGES> struct stream_lane {
    enum {
        PLANE = (WARPS + 2) * 32 * 16,
        STAGE = 2 * PLANE,
        RAW = RING * STAGE,
        LATER = (LEVELS - 1) * 3 * STAGE,
        BYTES = RAW + LATER + 16
    };

    stream_place at;
    EDGES edges;
    stream_level level[LEVELS];
    uint32_t row, column;   /* its row and group among those of the block */
    uint32_t shared, extra; /* the address of its group in a plane; that of a row outside, which it also fetches */
    uint32_t from, other;   /* the places of these two in a plane of the grid, in groups */
    uint32_t fetched;       /* the next plane to fetch, in groups from the first plane */
    uint4 *result;          /* the place of the next finished plane */
    uint32_t stage, later;  /* the current stage of the ring and of the planes a step later, in bytes */
    uint32_t barrier, phase;
    bool active, fetches, owns;

    __device__ __forceinline__ void place(const stream_job &job, uint32_t base)
    {
        const uint32_t lane = threadIdx.x & 31, warp = threadIdx.x >> 5, rows = job.rows * (blockDim.x >> 5);
        const uint32_t inside = min(lane / job.columns, job.rows - 1), start = inside * job.columns;
        row = warp * job.rows + inside;
        column = lane % job.columns;
        active = lane < job.rows * job.columns;
        at.left = (int) (start + (column == 0 ? job.columns - 1 : column - 1));
        at.right = (int) (start + (column == job.columns - 1 ? 0 : column + 1));
        at.row_bytes = job.columns * 16;
        shared = base + ((row + 1) * job.columns + column) * 16;
        extra = row == 0 ? shared - at.row_bytes : shared + at.row_bytes;
        fetches = active && (row == 0 || row == rows - 1);
        barrier = base + RAW + LATER;
        phase = 0;
    }

    /* Moves the lane to plane `begin` of a slab of a tile. */
    template <class JOB>
    __device__ __forceinline__ void enter(const JOB &job, uint32_t slab, uint32_t tile, uint32_t begin)
    {
        const uint32_t rows = job.rows * (blockDim.x >> 5), halo = job.tiles > 1, edge = LEVELS - 1;
        const uint32_t position = tile * job.width + column; /* halo + the group */
        const uint32_t group = (position + job.groups - halo) % job.groups;
        const uint32_t own = slab * job.owned + row - edge; /* the row of the grid, not yet wrapped around the torus */
        const uint32_t y = (own + job.height * LEVELS) % job.height;
        from = y * job.pitch + group;
        other = (row == 0 ? (y == 0 ? job.height : y) - 1 : y == job.height - 1 ? 0 : y + 1) * job.pitch + group;
        owns = active && row + 1 > edge && row + LEVELS <= rows && row - edge < job.owned && own < job.height &&
               column + 1 > halo && column - halo < job.width && position - halo < job.groups;
        edges.find(job, group);
        fetched = (begin + job.depth * LEVELS - LEVELS) % job.depth * job.plane;
        result = job.result + (int64_t) begin * job.plane + from;
        stage = later = 0;
        edges.enter(job, *this, position - halo, own, begin);
    }

    /* Fetches the stage that is `ahead` of the next. */
    __device__ __forceinline__ void fetch_stage(const stream_job &job, uint32_t ahead)
    {
        uint32_t slot = stage + ahead * STAGE;
        slot = slot >= RAW ? slot - RAW : slot;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            edges.fetch_rows(*this, slot + i * PLANE, job.source + (fetched + from), job.source + (fetched + other));
            fetched += job.plane;
            fetched = fetched == job.depth * job.plane ? 0 : fetched;
        }
        fetch_commit();
    }

    /* Writes two planes of level 0. */
    __device__ __forceinline__ void write_planes(uint32_t (&first)[4], uint32_t (&second)[4])
    {
        edges.clear_planes(first, second);
        write_shared(shared + RAW + later, first, edges.writes(active));
        write_shared(shared + RAW + later + PLANE, second, edges.writes(active));
    }

    /* The planes that level 0 made an iteration ago. */
    __device__ __forceinline__ uint32_t earlier() const
    {
        return shared + RAW + (later == 0 ? 2 * STAGE : later - STAGE);
    }

    /* One iteration: level 0 does FIRST, the last level does LAST. `left` is the number of planes still to finish. */
    template <int FIRST, int LAST, class RULE>
    __device__ __forceinline__ void iterate(const stream_job &job, int32_t left, const RULE &rule)
    {
        uint32_t first[4], second[4];
        barrier_wait(barrier, phase);
        phase ^= 1;
        fetch_stage(job, RING - 1);
        if (FIRST != NOTHING)
            level[0].template step<FIRST == STEP>(first, second, shared + stage, PLANE, at, edges, job.factors, rule);
        stage = stage == RAW - STAGE ? 0 : stage + STAGE;
        if (LEVELS == 2 && FIRST == STEP)
            write_planes(first, second);
        fetch_wait<RING - 2>();
        barrier_arrive(barrier);
        if (LAST != NOTHING)
            level[LEVELS - 1].template step<LAST == STEP>(first, second, earlier(), PLANE, at, edges, job.factors,
                                                          rule);
        later = later == 2 * STAGE ? 0 : later + STAGE;
        if ((LEVELS == 1 ? FIRST : LAST) == STEP) {
            write_global(result, first, owns);
            write_global(result + job.plane, second, owns && left > 1);
            result += 2 * (int64_t) job.plane;
        }
    }

    /* Makes `planes` planes. */
    template <class RULE> __device__ __forceinline__ void march(const stream_job &job, int32_t planes, const RULE &rule)
    {
        edges.clear_rows(*this);
        for (uint32_t i = 0; i < RING - 1; i++)
            fetch_stage(job, i);
        fetch_wait<RING - 2>();
        barrier_arrive(barrier);
        iterate<SUMS, NOTHING>(job, 0, rule);
        if (LEVELS == 2) {
            iterate<STEP, NOTHING>(job, 0, rule);
            iterate<STEP, SUMS>(job, 0, rule);
        }
#pragma unroll 2
        for (; planes > 2 * (LEVELS - 1); planes -= 2)
            iterate<STEP, LEVELS == 2 ? STEP : NOTHING>(job, planes, rule);
        if (LEVELS == 2)
            iterate<NOTHING, STEP>(job, planes, rule);
        fetch_wait<0>();
        barrier_wait(barrier, phase);
        phase ^= 1;
    }
};

/* Lets the next launch start when blocks of this one end, and waits until the launch before this one has ended. Both do
 * nothing where launches do not overlap. */
__device__ __forceinline__ void overlap_launches()
{
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;\ngriddepcontrol.wait;" ::: "memory");
#endif
}

template <int LEVELS, int WARPS, int RING, class EDGES, class JOB, class RULE>
__device__ __forceinline__ void stream_levels(const JOB &job, const RULE &rule)
{
    stream_lane<LEVELS, WARPS, RING, EDGES> l;
    l.place(job, (uint32_t) __cvta_generic_to_shared(packed_shared));
    if (threadIdx.x == 0)
        barrier_make(l.barrier, blockDim.x);
    __syncthreads();
    overlap_launches();
    const uint64_t line = (uint64_t) job.slabs * job.tiles * job.depth;
    uint64_t at = line * blockIdx.x / gridDim.x;
    const uint64_t last = line * (blockIdx.x + 1) / gridDim.x;
    while (at < last) {
        const uint32_t slab = (uint32_t) (at / job.depth), begin = (uint32_t) (at % job.depth);
        const uint32_t planes = (uint32_t) min((uint64_t) (job.depth - begin), last - at);
        l.enter(job, slab % job.slabs, slab / job.slabs, begin);
        l.march(job, (int32_t) planes, rule);
        at += planes;
    }
}

#endif
