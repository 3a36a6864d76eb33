/* Tiles of the resident form: their place in the grid and in shared memory, and the rows of each lane. */
#ifndef LIFE3D_PACKED_CUDA_TILE_CUH
#define LIFE3D_PACKED_CUDA_TILE_CUH

#include "cuda_group.cuh"
#include "cuda_resident_job.h"

/* A block's tile: its first row along y and z, and its size. */
struct resident_tile {
    uint32_t y, z, rows, planes;
};

/* What a lane knows of the edges of its grid. These are of the torus of whole groups: the lanes beside a lane hold the
 * groups beside its own, and every row lies in the grid. The functions that are empty here have work to do in the
 * classes of cuda_resident_edges.cuh. */
struct resident_whole {
    struct receiver {
        template <class JOB>
        __device__ __forceinline__ void find(const JOB &, const resident_tile &, int, uint32_t, uint32_t)
        {
        }
        __device__ __forceinline__ uint32_t keep(int) const
        {
            return ~0u;
        }
    };

    /* The lane has group `group` of its row. */
    template <class JOB> __device__ __forceinline__ void find(const JOB &, uint32_t)
    {
    }
    /* Do the rows end, or are they closed around the torus? */
    template <class JOB> __device__ __forceinline__ bool has_ends(const JOB &) const
    {
        return false;
    }
    template <class JOB> __device__ __forceinline__ void find_ends(const JOB &, uint32_t)
    {
    }
    /* The word that the lane on the right sees on its left. */
    __device__ __forceinline__ uint32_t last(const uint32_t (&word)[4]) const
    {
        return word[3];
    }
    __device__ __forceinline__ void clear_sides(uint32_t (&)[2], uint32_t (&)[2]) const
    {
    }
    /* A row is finished. */
    template <class JOB> __device__ __forceinline__ void close(const JOB &, uint32_t (&)[4], uint32_t) const
    {
    }
};

/* A lane of a strip. Addresses and distances are in bytes of shared memory; y and z count from the tile's first row. */
template <class EDGES> struct resident_lane {
    uint32_t group, left, right; /* its group of the row; the lanes that hold the groups beside it */
    uint32_t y, z, count;        /* its first row, and how many rows it makes; 0: it is idle */
    uint32_t at;                 /* the address of the row one before its first, along and across the march */
    uint32_t across, along;      /* the distance between rows across the march and along it */
    uint32_t slot;               /* border: the slot that its first row goes to */
    EDGES edges;
};

__device__ __forceinline__ resident_tile place_tile(const resident_job &job)
{
    const uint64_t y = blockIdx.x % job.blocks_y, z = blockIdx.x / job.blocks_y;
    resident_tile t;
    t.y = (uint32_t) (job.height * y / job.blocks_y);
    t.z = (uint32_t) (job.depth * z / job.blocks_z);
    t.rows = (uint32_t) (job.height * (y + 1) / job.blocks_y) - t.y;
    t.planes = (uint32_t) (job.depth * (z + 1) / job.blocks_z) - t.z;
    return t;
}

__device__ __forceinline__ uint32_t row_bytes(const resident_job &job)
{
    return job.groups * 16;
}

__device__ __forceinline__ uint32_t plane_bytes(const resident_job &job)
{
    return (job.rows + 2) * row_bytes(job);
}

/* The bytes of one state of the tile, with its halo. */
__device__ __forceinline__ uint32_t state_bytes(const resident_job &job)
{
    return (job.planes + 2) * plane_bytes(job);
}

/* The address of a group of a row in the first state. y = -1 and z = -1 are the halo before the first row. */
__device__ __forceinline__ uint32_t row_address(const resident_job &job, uint32_t group, uint32_t y, uint32_t z)
{
    return (uint32_t) __cvta_generic_to_shared(packed_shared) + (z + 1) * plane_bytes(job) + (y + 1) * row_bytes(job) +
           group * 16;
}

/* Returns the number of the lane's strip, counted over all warps, and sets the members that do not depend on it. */
template <class EDGES, class JOB>
__device__ __forceinline__ uint32_t place_strip(resident_lane<EDGES> &l, bool &idle, const JOB &job, uint32_t warp)
{
    const uint32_t lane = threadIdx.x & 31, strips = 32 / job.groups;
    const uint32_t in_warp = min(lane / job.groups, strips - 1), base = in_warp * job.groups;
    idle = lane - base >= job.groups;
    l.group = min(lane - base, job.groups - 1);
    l.left = base + (l.group ? l.group - 1 : job.groups - 1);
    l.right = base + (l.group + 1 < job.groups ? l.group + 1 : 0);
    l.edges.find(job, l.group);
    if (l.edges.has_ends(job))
        l.edges.find_ends(job, l.group);
    return warp * strips + in_warp;
}

/* Copies the tile from global memory to a state in shared memory (LOAD), or back. A warp takes whole rows. */
template <bool LOAD>
__device__ __forceinline__ void move_tile(const resident_job &job, const resident_tile &t, uint32_t state)
{
    resident_lane<resident_whole> l;
    bool idle;
    const uint32_t rows = (blockDim.x >> 5) * (32 / job.groups), first = place_strip(l, idle, job, threadIdx.x >> 5);
    for (uint32_t row = idle ? ~0u : first; row < t.rows * t.planes; row += rows) {
        const uint32_t y = row % t.rows, z = row / t.rows, shared = row_address(job, l.group, y, z) + state;
        const uint64_t at = (uint64_t) (t.z + z) * job.plane + (uint64_t) (t.y + y) * job.pitch + l.group;
        if (LOAD) {
            const uint4 cells = job.source[at];
            write_shared(shared, {cells.x, cells.y, cells.z, cells.w}, true);
        } else {
            uint32_t word[4];
            read_shared(word, shared);
            job.result[at] = make_uint4(word[0], word[1], word[2], word[3]);
        }
    }
}

#endif
