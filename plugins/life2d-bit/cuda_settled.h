/* The settled regions of a grid on a CUDA device: what the kernel of cuda_settled.cuh works on. */
#ifndef LIFE2D_CUDA_SETTLED_H
#define LIFE2D_CUDA_SETTLED_H

#include <life/cuda_words.cuh>

enum {
    SETTLED_STEPS = 12,  /* of a pass */
    SETTLED_LEAST = 256, /* cells of a grid along x and y */
    SETTLED_WARPS = 16,  /* of a block */
    SETTLED_BYTES = 3,   /* of 32 cells, the width of a tile, at most */
    SETTLED_LINES = 104  /* the height of a tile, at most */
};

/* Tiles along an axis: `tiles` of `edge`, the first `longer` of them of one more. Along x the unit is a byte. */
struct settled_axis {
    uint32_t tiles, edge, longer;
};

/* What a grid's instance remembers between calls, in device memory. The host clears what follows `on` if the state has
 * changed from outside. */
struct settled_state {
    uint64_t taken, skipped; /* steps times tiles */
    uint32_t on;             /* are tiles skipped? */
    uint32_t known;          /* the bitmaps tell which tiles are needed; otherwise all are */
    uint32_t at;             /* the bitmap of the next pass */
    uint32_t done;           /* steps that the last round took */
    uint32_t trials, moving[2];
    uint32_t turn;     /* which of the next numbers the next pass uses; that one is 0 */
    uint32_t total[3]; /* the needed tiles of a pass */
    uint32_t arrived;  /* blocks */
    uint32_t reserved[16];
};

/* A round of passes. The first pass reads cells[0]. */
struct settled_job {
    uint4 *cells[2];
    settled_state *state;
    uint32_t *needed[2]; /* bitmaps: `words` for each block */
    uint32_t words;
    uint32_t width, height, groups, pitch; /* groups of 128 cells of a row, and from a row to the next */
    settled_axis x, y;
    uint32_t stride;        /* tile (x, y) has the number y * stride + x: bit n / blocks of block n % blocks */
    uint32_t passes, steps; /* of the round; and the steps that it stands for in the account */
    uint32_t always;        /* are tiles skipped even if this is slower? */
    uint32_t least;         /* passes for which all tiles may be computed once */
    uint32_t most_moving;   /* in percent: the tiles of a sample that may change */
    uint32_t most_needed;   /* tiles */
    life_factors factors;
};

#endif
