/* The resident form: the argument of the kernel in cuda_resident.cuh. */
#ifndef LIFE3D_PACKED_CUDA_RESIDENT_JOB_H
#define LIFE3D_PACKED_CUDA_RESIDENT_JOB_H

#include <stdint.h>

struct resident_job {
    const uint4 *source;
    uint4 *result;
    uint32_t height, depth;
    uint32_t groups, tail; /* in a row; cells in the last of them */
    uint32_t pitch, plane; /* from a row to the next and from a plane to the next, in groups */
    uint32_t blocks_y, blocks_z;
    uint32_t rows, planes;        /* of the largest tile; every tile has at least two of each */
    uint32_t border_warps;        /* of a block; each of their lanes polls at most RESIDENT_RECEIVES slots */
    uint32_t border_march, march; /* rows that a strip takes, of the border and inside; march is a multiple of 4 */
    uint64_t steps;
    ulonglong2 *slots; /* 2 * blocks * resident_halo(...) * groups * 2 of them, all zero at the start */
};

/* The same for grids with dead edges. */
struct dead_resident_job : resident_job {
    uint32_t dead; /* LIFE_DEAD_X and so on; along the other axes the grid is a torus */
};

/* The most slots that a lane polls, and the most warps of a block. */
enum { RESIDENT_RECEIVES = 3, RESIDENT_WARPS = 16 };

/* The rows of the halo around a tile. */
__host__ __device__ inline uint32_t resident_halo(uint32_t rows, uint32_t planes)
{
    return 2 * (rows + planes) + 4;
}

#endif
