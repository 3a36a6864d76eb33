/* Arguments of the core's own CUDA kernels, for the host that launches them too. */
#ifndef CORE_MEMORY_CUDA_KERNELS_H
#define CORE_MEMORY_CUDA_KERNELS_H

#include <engine/plugin.h>

enum { LIMIT_VALUES = 16 }; /* values a thread of limit_… works on in a round */

/* Ghosts along x, inside every row. */
struct wrap_x {
    uint8_t *origin; /* cell (0, 0, 0) */
    int64_t row_stride, plane_stride;
    int64_t pitch;                       /* elements: bytes of a cell */
    uint64_t width, height, rows, ghost; /* rows: of all planes */
    struct engine_layout layout;         /* bits */
};

/* Ghosts along y or z: whole slices of `bytes`, `stride` apart, from `base` (slice 0) on; in each of `sets` sets. */
struct wrap_slices {
    uint8_t *base;
    int64_t stride, set_stride;
    uint64_t bytes, extent, ghost, sets;
};

#ifdef __CUDACC__
#define KERNELS_FUNCTION static __host__ __device__ inline
#else
#define KERNELS_FUNCTION static inline
#endif

/* Ghost i of an axis, counted 0 … 2 ghost - 1, is the slice *to of [-ghost, 0) and [extent, extent + ghost); what it
 * holds is the slice returned, of [0, extent). */
KERNELS_FUNCTION int64_t wrap_source(uint64_t i, uint64_t ghost, uint64_t extent, int64_t *to)
{
    *to = i < ghost ? (int64_t) i - (int64_t) ghost : (int64_t) (extent + i - ghost);
    return i < ghost ? (int64_t) ((extent - (ghost - i) % extent) % extent) : (int64_t) ((i - ghost) % extent);
}

#endif
