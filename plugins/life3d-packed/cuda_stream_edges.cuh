/* What the streaming form of 3D Life (cuda_stream.cuh) adds for grids that are no torus of whole groups.
 *
 * If a row of a torus ends within a group, every level closes its seam (cuda_seam.cuh).
 *
 * Beyond dead edges, cells are 0 at both levels. No lane fetches or writes the rows that lie there: in shared memory
 * they are 0 from the beginning of a march. Planes that lie there are written as 0. Along x, factors of 0 clear the
 * sums that come from beyond; if the last group is not full, its other cells are cleared instead, and the first group
 * sees them as its left neighbour. */
#ifndef LIFE3D_PACKED_CUDA_STREAM_EDGES_CUH
#define LIFE3D_PACKED_CUDA_STREAM_EDGES_CUH

#include "cuda_seam.cuh"
#include "cuda_stream.cuh"

/* ---- A seam ---------------------------------------------------------------------------------- */

struct stream_seam : whole_groups {
    bool shifted; /* the group is a row's last and has 127 cells: cell 127 is the ghost after the last cell */
    row_seam seam;

    template <class JOB> __device__ __forceinline__ void find(const JOB &job, uint32_t group)
    {
        seam = seam_of(job.tail, group == job.groups - 1);
        shifted = group == job.groups - 1 && job.tail == 127;
    }
    __device__ __forceinline__ uint32_t last(const uint32_t (&word)[4]) const
    {
        return shifted ? word[2] : word[3];
    }
    __device__ __forceinline__ void close(uint32_t (&first)[4], uint32_t (&second)[4], int right) const
    {
        close_seam(first, seam, __shfl_sync(~0u, first[0], right));
        close_seam(second, seam, __shfl_sync(~0u, second[0], right));
    }
};

/* ---- Dead edges ------------------------------------------------------------------------------ */

struct dead_stream_job : stream_job {
    uint32_t dead; /* LIFE_DEAD_X and so on; along the other axes the grid is a torus */
};

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

/* Along an axis without edges, planes have numbers from SOME_PLANE on, and none of them is beyond NO_PLANE. A grid has
 * less than SOME_PLANE planes. */
static constexpr uint32_t SOME_PLANE = 1u << 30, NO_PLANE = ~0u;

/* SEAM: a row ends within a group. */
template <bool SEAM> struct stream_dead : stream_seam {
    uint32_t keep_left, keep_right; /* factors of the sums from the groups beside: 0 beyond an edge, else 1, hidden from
                                       the compiler as in life_factors */
    uint32_t fetched, made;         /* the numbers of the next plane to fetch, and of the next one of level 0 */
    uint32_t planes;                /* planes from this number on, and those before 0, lie beyond the edges */
    bool dead_x;
    bool row, extra; /* the lane fetches its row, and a row outside: they lie in the grid */

    template <int LEVELS, int WARPS, int RING, class EDGES>
    __device__ __forceinline__ void enter(const dead_stream_job &job, const stream_lane<LEVELS, WARPS, RING, EDGES> &l,
                                          uint32_t group, uint32_t own, uint32_t begin)
    {
        const bool dead_y = job.dead & LIFE_DEAD_Y;
        dead_x = job.dead & LIFE_DEAD_X;
        keep_left = dead_x && group == 0 ? 0 : job.factors.one;
        keep_right = dead_x && group == job.groups - 1 ? 0 : job.factors.one;
        row = l.active && (!dead_y || own < job.height);
        extra = l.fetches && (!dead_y || (l.row == 0 ? own - 1 : own + 1) < job.height);
        planes = job.dead & LIFE_DEAD_Z ? job.depth : NO_PLANE;
        begin += job.dead & LIFE_DEAD_Z ? 0 : SOME_PLANE;
        fetched = begin - LEVELS, made = begin - 1;
        if (SEAM && dead_x) {
            shifted = false; /* all cells behind the last one are dead */
            find_cells(seam.mask, (group + job.groups) % job.groups == job.groups - 1 ? job.tail : 128);
        }
    }
    /* Clears the rows beyond the edges in all planes. Other warps may be a slab behind. */
    template <class LANE> __device__ __forceinline__ void clear_rows(const LANE &l) const
    {
        __syncthreads();
        for (uint32_t plane = 0; plane < LANE::RAW + LANE::LATER; plane += LANE::PLANE)
            write_shared(l.shared + plane, {0, 0, 0, 0}, l.active && !row);
        for (uint32_t plane = 0; plane < LANE::RAW; plane += LANE::PLANE)
            write_shared(l.extra + plane, {0, 0, 0, 0}, l.fetches && !extra);
    }
    template <class LANE>
    __device__ __forceinline__ void fetch_rows(const LANE &l, uint32_t slot, const uint4 *own, const uint4 *outside)
    {
        const bool held = fetched++ < planes;
        fetch_held(l.shared + slot, own, row, held);
        fetch_held(l.extra + slot, outside, extra, held);
    }
    __device__ __forceinline__ uint32_t last(const uint32_t (&word)[4]) const
    {
        return SEAM ? stream_seam::last(word) : word[3];
    }
    __device__ __forceinline__ void clear_sides(uint32_t (&left)[2], uint32_t (&right)[2]) const
    {
        if (!SEAM)
            for (int i = 0; i < 2; i++)
                left[i] *= keep_left, right[i] *= keep_right;
    }
    __device__ __forceinline__ void close(uint32_t (&first)[4], uint32_t (&second)[4], int right) const
    {
        if (SEAM && dead_x) {
            clear_cells(first, seam.mask);
            clear_cells(second, seam.mask);
        } else if (SEAM) {
            stream_seam::close(first, second, right);
        }
    }
    __device__ __forceinline__ void clear_planes(uint32_t (&first)[4], uint32_t (&second)[4])
    {
        if (made >= planes - 1)
            for (int i = 0; i < 4; i++) {
                first[i] = made < planes ? first[i] : 0;
                second[i] = made + 1 < planes ? second[i] : 0;
            }
        made += 2;
    }
    __device__ __forceinline__ bool writes(bool) const
    {
        return row;
    }
};

/* ---- Any grid -------------------------------------------------------------------------------- */

/* The edges of a job's grid. SEAM: a row ends within a group. */
template <bool SEAM, class JOB> struct stream_edges;
template <> struct stream_edges<false, stream_job> : whole_groups {
};
template <> struct stream_edges<true, stream_job> : stream_seam {
};
template <bool SEAM> struct stream_edges<SEAM, dead_stream_job> : stream_dead<SEAM> {
};

#endif
