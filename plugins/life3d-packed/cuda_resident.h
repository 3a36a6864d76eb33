/* The resident form: what the host hands to the kernel of cuda_resident.cuh. */
#ifndef LIFE3D_PACKED_CUDA_RESIDENT_H
#define LIFE3D_PACKED_CUDA_RESIDENT_H

#include "cuda_stepper.h"

struct resident_job {
    const uint4 *source;
    uint4 *result;
    uint32_t height, depth;
    uint32_t groups, tail; /* in a row; cells in the last of them */
    uint32_t pitch, plane; /* from a row to the next and from a plane to the next, in groups */
    uint32_t blocks_y, blocks_z;
    uint32_t rows, planes;     /* of the largest tile; the smallest has two of each at least */
    uint32_t rim_warps;        /* of a block; each lane takes RESIDENT_LETTERS letters at most */
    uint32_t rim_march, march; /* rows that a strip takes: of the rim; of the rest, a multiple of 4 */
    uint64_t steps;
    ulonglong2 *mail; /* 2 * blocks * resident_halo(...) * groups * 2 of them, zeros */
};

/* Letters that a lane waits for at most; warps of a block at most. */
enum { RESIDENT_LETTERS = 3, RESIDENT_WARPS = 16 };

/* Rows around a tile. */
__host__ __device__ inline uint32_t resident_halo(uint32_t rows, uint32_t planes)
{
    return 2 * (rows + planes) + 4;
}

/* Enqueues all steps of a job whose grid fits on the chip; cells[1] will hold them. */
cudaError_t packed_resident_steps(const struct packed_cuda_job *job);

#endif
