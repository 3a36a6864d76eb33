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
 * parts, one for each block; at the end of a slab the block goes on with the next. Every level closes the seam again
 * (cuda_group.cuh).
 *
 * Beyond dead edges, cells are 0 at both levels. No lane fetches or writes the rows that lie there: in shared memory
 * they are 0 from the beginning of a march. Planes that lie there are written as 0. Along x, factors of 0 clear the
 * sums that come from beyond; if the last group is not full, its other cells are cleared instead, and the first group
 * sees them as its left neighbour. */
#ifndef LIFE3D_PACKED_CUDA_STREAM_CUH
#define LIFE3D_PACKED_CUDA_STREAM_CUH

#include "cuda_group.cuh"

struct stream_job {
    static constexpr int DEAD = 0;
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

/* The same for grids with dead edges. */
struct dead_stream_job : stream_job {
    static constexpr int DEAD = 1;
    uint32_t dead; /* LIFE_DEAD_X and so on; along the other axes the grid is a torus */
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

/* Fetches a group, or writes zeros in its place if it is not `held` by the grid. */
__device__ __forceinline__ void fetch_held(uint32_t shared, const uint4 *from, bool enabled, bool held)
{
#ifdef __CUDACC__
    asm volatile(
        "{ .reg .pred p; setp.ne.u32 p, %2, 0;\n@p cp.async.cg.shared.global [%0], [%1], 16, %3; }" ::"r"(shared),
        "l"(from), "r"((uint32_t) enabled), "r"(held ? 16 : 0)
        : "memory");
#else
    const uint32_t none[4] = {0, 0, 0, 0};
    if (enabled && held)
        life_host_copy(shared, from);
    else if (enabled)
        life_host_write(shared, none);
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
    bool shifted;       /* its group is a row's last and has 127 cells: cell 127 is the ghost after the last cell */
    row_seam seam;
};

/* The edges of the grid at a lane: a torus knows nothing of them. */
template <int DEAD> struct stream_edges {
};
template <> struct stream_edges<1> {
    uint32_t keep_left, keep_right; /* factors of the sums from the groups beside: 0 beyond an edge, else 1, hidden from
                                       the compiler as in life_factors */
    uint32_t fetched, made;         /* the numbers of the next plane to fetch, and of the next one of level 0 */
    uint32_t planes;                /* planes from this number on, and those before 0, lie beyond the edges */
    bool dead_x;
    bool row, extra; /* the lane fetches its row, and a row outside: they lie in the grid */
};

/* Makes the sums of a plane at a lane's place, and reads the cells there. */
template <bool SEAM, int DEAD>
__device__ __forceinline__ void sum_plane(plane_sums (&sums)[4], uint32_t (&cell)[4], uint32_t shared,
                                          const stream_place &at, const stream_edges<DEAD> &edges,
                                          const life_factors &k)
{
    uint32_t above[4], below[4];
    read_shared(above, shared - at.row_bytes);
    read_shared(cell, shared);
    read_shared(below, shared + at.row_bytes);
    const column_sums c = add_rows(above, cell, below, k);
    const uint32_t one = SEAM && at.shifted ? c.one[2] : c.one[3], two = SEAM && at.shifted ? c.two[2] : c.two[3];
    uint32_t left[2] = {__shfl_sync(~0u, one, at.left), __shfl_sync(~0u, two, at.left)};
    uint32_t right[2] = {__shfl_sync(~0u, c.one[0], at.right), __shfl_sync(~0u, c.two[0], at.right)};
    if constexpr (DEAD && !SEAM)
        for (int i = 0; i < 2; i++)
            left[i] *= edges.keep_left, right[i] *= edges.keep_right;
    add_columns(sums, c, left, right, k);
}

/* One step of the march: the sums of the last two planes that came, and the cells of the last one. */
template <bool SEAM> struct stream_level {
    plane_sums before[4], last[4];
    uint32_t cell[4];

    /* Takes two planes. If it MAKES, it makes the next state of the last plane before them and of the first of the two.
     */
    template <bool MAKES, int DEAD, class RULE>
    __device__ __forceinline__ void step(uint32_t (&first)[4], uint32_t (&second)[4], uint32_t shared, uint32_t plane,
                                         const stream_place &at, const stream_edges<DEAD> &edges, const life_factors &k,
                                         const RULE &rule)
    {
        plane_sums a[4], b[4];
        double_sums both[4];
        uint32_t here[4];
        sum_plane<SEAM>(a, here, shared, at, edges, k);
        if (MAKES)
            for (int i = 0; i < 4; i++) {
                both[i] = add_planes(last[i], a[i]);
                first[i] = rule.next(count_space(both[i], before[i], k), cell[i]);
            }
        sum_plane<SEAM>(b, cell, shared + plane, at, edges, k);
        if (MAKES)
            for (int i = 0; i < 4; i++)
                second[i] = rule.next(count_space(both[i], b[i], k), here[i]);
        for (int i = 0; i < 4; i++)
            before[i] = a[i], last[i] = b[i];
        if constexpr (SEAM && MAKES && DEAD)
            if (edges.dead_x) {
                clear_cells(first, at.seam.mask);
                clear_cells(second, at.seam.mask);
                return;
            }
        if (SEAM && MAKES) {
            close_seam(first, at.seam, __shfl_sync(~0u, first[0], at.right));
            close_seam(second, at.seam, __shfl_sync(~0u, second[0], at.right));
        }
    }
};

/* ---- Marching -------------------------------------------------------------------------------- */

/* What a level does in an iteration: nothing, only the sums of its first planes, or a step. */
enum { NOTHING, SUMS, STEP };

/* Along an axis without edges, planes have numbers from SOME_PLANE on, and none of them is beyond NO_PLANE. A grid has
 * less than SOME_PLANE planes. */
static constexpr uint32_t SOME_PLANE = 1u << 30, NO_PLANE = ~0u;

/* A lane's part of a slab. Shared memory has RING stages of two planes of the grid (RAW bytes), and between two levels
 * three stages of planes a step later (LATER bytes). A plane has one more row on either side. */
template <int LEVELS, int WARPS, int RING, bool SEAM, int DEAD> struct stream_lane {
    enum {
        PLANE = (WARPS + 2) * 32 * 16,
        STAGE = 2 * PLANE,
        RAW = RING * STAGE,
        LATER = (LEVELS - 1) * 3 * STAGE,
        BYTES = RAW + LATER + 16
    };

    stream_place at;
    stream_edges<DEAD> edges;
    stream_level<SEAM> level[LEVELS];
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

    /* The edges at group `group` of row `own`, which are not yet wrapped. */
    __device__ __forceinline__ void enter_edges(const dead_stream_job &job, uint32_t group, uint32_t own,
                                                uint32_t begin)
    {
        const bool dead_y = job.dead & LIFE_DEAD_Y;
        edges.dead_x = job.dead & LIFE_DEAD_X;
        edges.keep_left = edges.dead_x && group == 0 ? 0 : job.factors.one;
        edges.keep_right = edges.dead_x && group == job.groups - 1 ? 0 : job.factors.one;
        edges.row = active && (!dead_y || own < job.height);
        edges.extra = fetches && (!dead_y || (row == 0 ? own - 1 : own + 1) < job.height);
        edges.planes = job.dead & LIFE_DEAD_Z ? job.depth : NO_PLANE;
        begin += job.dead & LIFE_DEAD_Z ? 0 : SOME_PLANE;
        edges.fetched = begin - LEVELS, edges.made = begin - 1;
        if (SEAM && edges.dead_x) {
            at.shifted = false; /* all cells behind the last one are dead */
            find_cells(at.seam.mask, (group + job.groups) % job.groups == job.groups - 1 ? job.tail : 128);
        }
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
        at.seam = seam_of(job.tail, group == job.groups - 1);
        at.shifted = group == job.groups - 1 && job.tail == 127;
        fetched = (begin + job.depth * LEVELS - LEVELS) % job.depth * job.plane;
        result = job.result + (int64_t) begin * job.plane + from;
        stage = later = 0;
        if constexpr (DEAD)
            enter_edges(job, position - halo, own, begin);
    }

    /* Fetches a row and, at the ends of the block, the one outside of it. */
    __device__ __forceinline__ void fetch_rows(const stream_job &job, uint32_t slot)
    {
        const uint4 *const own = job.source + (fetched + from), *const outside = job.source + (fetched + other);
        if constexpr (DEAD) {
            const bool held = edges.fetched++ < edges.planes;
            fetch_held(shared + slot, own, edges.row, held);
            fetch_held(extra + slot, outside, edges.extra, held);
        } else {
            fetch(shared + slot, own, active);
            fetch(extra + slot, outside, fetches);
        }
    }

    /* Fetches the stage that is `ahead` of the next. */
    __device__ __forceinline__ void fetch_stage(const stream_job &job, uint32_t ahead)
    {
        uint32_t slot = stage + ahead * STAGE;
        slot = slot >= RAW ? slot - RAW : slot;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            fetch_rows(job, slot + i * PLANE);
            fetched += job.plane;
            fetched = fetched == job.depth * job.plane ? 0 : fetched;
        }
        fetch_commit();
    }

    /* Clears the rows beyond the edges in all planes. Other warps may be a slab behind. */
    __device__ __forceinline__ void clear_rows()
    {
        if constexpr (DEAD) {
            __syncthreads();
            for (uint32_t plane = 0; plane < RAW + LATER; plane += PLANE)
                write_shared(shared + plane, {0, 0, 0, 0}, active && !edges.row);
            for (uint32_t plane = 0; plane < RAW; plane += PLANE)
                write_shared(extra + plane, {0, 0, 0, 0}, fetches && !edges.extra);
        }
    }

    /* Writes two planes of level 0. */
    __device__ __forceinline__ void write_planes(uint32_t (&first)[4], uint32_t (&second)[4])
    {
        bool writes = active;
        if constexpr (DEAD) {
            if (edges.made >= edges.planes - 1)
                for (int i = 0; i < 4; i++) {
                    first[i] = edges.made < edges.planes ? first[i] : 0;
                    second[i] = edges.made + 1 < edges.planes ? second[i] : 0;
                }
            edges.made += 2;
            writes = edges.row;
        }
        write_shared(shared + RAW + later, first, writes);
        write_shared(shared + RAW + later + PLANE, second, writes);
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
        clear_rows();
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

template <int LEVELS, int WARPS, int RING, bool SEAM, class JOB, class RULE>
__device__ __forceinline__ void stream_levels(const JOB &job, const RULE &rule)
{
    stream_lane<LEVELS, WARPS, RING, SEAM, JOB::DEAD> l;
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
