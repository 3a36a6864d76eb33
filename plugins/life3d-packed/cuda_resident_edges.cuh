/* What the resident form of 3D Life (cuda_resident.cuh) adds for grids that are no torus of whole groups.
 *
 * If a row of a torus ends within a group, each new row closes its seam (cuda_seam.cuh).
 *
 * Rows of the halo that lie beyond dead edges are received, but written as 0. Along x, factors of 0 clear the sums that
 * come from beyond; if the last group is not full, its other cells are cleared instead. */
#ifndef LIFE3D_PACKED_CUDA_RESIDENT_EDGES_CUH
#define LIFE3D_PACKED_CUDA_RESIDENT_EDGES_CUH

#include "cuda_resident.cuh"
#include "cuda_seam.cuh"

/* ---- A seam ---------------------------------------------------------------------------------- */

struct resident_seam : resident_whole {
    bool shifted; /* the group is the last and has 127 cells: cell 127 is the ghost after the last cell */
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
    template <class JOB> __device__ __forceinline__ void close(const JOB &, uint32_t (&word)[4], uint32_t right) const
    {
        close_seam(word, seam, __shfl_sync(~0u, word[0], right));
    }
};

/* ---- Dead edges ------------------------------------------------------------------------------ */

/* The rows that a lane receives. */
struct dead_receiver {
    uint32_t kept[RESIDENT_RECEIVES]; /* 0 for a row beyond the edges, else ~0 */

    __device__ __forceinline__ void find(const dead_resident_job &job, const resident_tile &t, int i, uint32_t y,
                                         uint32_t z)
    {
        const bool beyond_y = (job.dead & LIFE_DEAD_Y) && t.y + y >= job.height;
        const bool beyond_z = (job.dead & LIFE_DEAD_Z) && t.z + z >= job.depth;
        kept[i] = beyond_y || beyond_z ? 0 : ~0u;
    }
    __device__ __forceinline__ uint32_t keep(int i) const
    {
        return kept[i];
    }
};

/* SEAM: a row ends within a group. */
template <bool SEAM> struct resident_dead : resident_seam {
    typedef dead_receiver receiver;
    uint32_t keep_left, keep_right; /* whole groups: factors of the sums from beside, 0 beyond an edge, else 1 */

    __device__ __forceinline__ void find(const dead_resident_job &job, uint32_t group)
    {
        resident_seam::find(job, group);
        keep_left = keep_right = 1;
    }
    __device__ __forceinline__ bool has_ends(const dead_resident_job &job) const
    {
        return job.dead & LIFE_DEAD_X;
    }
    __device__ __forceinline__ void find_ends(const dead_resident_job &job, uint32_t group)
    {
        keep_left = group != 0, keep_right = group != job.groups - 1;
        shifted = false;
        find_cells(seam.mask, group == job.groups - 1 ? job.tail : 128);
    }
    __device__ __forceinline__ uint32_t last(const uint32_t (&word)[4]) const
    {
        return SEAM ? resident_seam::last(word) : word[3];
    }
    __device__ __forceinline__ void clear_sides(uint32_t (&left)[2], uint32_t (&right)[2]) const
    {
        if (!SEAM)
            for (int i = 0; i < 2; i++)
                left[i] *= keep_left, right[i] *= keep_right;
    }
    __device__ __forceinline__ void close(const dead_resident_job &job, uint32_t (&word)[4], uint32_t right) const
    {
        if (SEAM && has_ends(job))
            clear_cells(word, seam.mask);
        else if (SEAM)
            resident_seam::close(job, word, right);
    }
};

/* ---- Any grid -------------------------------------------------------------------------------- */

/* The edges of a job's grid. SEAM: a row ends within a group. */
template <bool SEAM, class JOB> struct resident_edges;
template <> struct resident_edges<false, resident_job> : resident_whole {
};
template <> struct resident_edges<true, resident_job> : resident_seam {
};
template <bool SEAM> struct resident_edges<SEAM, dead_resident_job> : resident_dead<SEAM> {
};

#endif
