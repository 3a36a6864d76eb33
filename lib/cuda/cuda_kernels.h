/* Arguments of the core's own CUDA kernels, for the kernels and for the host code that launches them. */
#ifndef LIB_CUDA_CUDA_KERNELS_H
#define LIB_CUDA_CUDA_KERNELS_H

#include "memory/edges.h"
#include <stdint.h>

enum {
    LIMIT_VALUES = 16, /* values that a thread of limit_… works on in a round */
    SUM_ARRAYS_MAX = 64,
    FETCH_LOADS = 4, /* loads of a thread of fetch_16 before it stores */
    PUTS_MAX = 64,
    CUDA_BARRIER_MOST = 32 /* processes that one passes a barrier with */
};

/* Ghosts along x, inside every row. */
struct wrap_x {
    uint8_t *origin; /* cell (0, 0, 0) */
    int64_t row_stride, plane_stride;
    int64_t pitch;                       /* bytes of a cell that is not a bit */
    uint64_t width, height, rows, ghost; /* rows: the number in all planes */
    struct engine_layout layout;         /* of a grid of bits */
    struct edges edges;
};

/* Ghosts along y or z. There are `sets` sets of slices of `bytes` bytes. Slice 0 of the first set is at `base`. The
 * distance from one slice to the next is `stride`, and from one set to the next `set_stride`. */
struct wrap_slices {
    uint8_t *base;
    int64_t stride, set_stride;
    uint64_t bytes, extent, ghost, sets;
    uint32_t kind; /* of the edges of this axis */
    uint8_t beyond[EDGES_PATTERN];
};

/* Elements [begin, end) of `count` arrays, which are set to their sums. */
struct sum_arrays {
    uint64_t *array[SUM_ARRAYS_MAX];
    uint32_t count;
    uint64_t begin, end;
};

/* Copies of `words` times 16 bytes. */
struct puts {
    uint64_t to[PUTS_MAX], from[PUTS_MAX], words[PUTS_MAX];
};

/* A barrier of parts/sharing.h, as the kernel gets it. */
struct cuda_barrier {
    uint64_t *round;
    uint64_t *theirs[CUDA_BARRIER_MOST];
    const uint64_t *own[CUDA_BARRIER_MOST];
    volatile uint32_t *stop;
    uint64_t limit;
    uint32_t count;
};

#endif
