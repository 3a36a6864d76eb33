/* The CPU kernel of two-dimensional Life, for several threads: any rule of a cell and its eight neighbours on a grid of
 * any width and height. Along each axis the grid is a torus, or the cells beyond its edges are dead. The Makefile
 * compiles cpu_kernel.c once for each instruction set; each build defines one struct life2d_kernel. */
#ifndef LIFE2D_CPU_KERNEL_H
#define LIFE2D_CPU_KERNEL_H

#include "square_code.h"

#include <common/isa.h>
#include <life/dead_axes.h>
#include <stdint.h>

struct life2d_settled;
struct settled;

/* One call of a kernel: it advances a grid by `steps`, in place. The caller owns all memory. */
struct life2d_job {
    /* Row y starts at cells + y * row_words; cell x is bit x % 64 (lowest first) of word x / 64. 64-byte aligned.
     * Bits at x >= width are ignored on entry and undefined on return. */
    uint64_t *cells;
    uint64_t width, height; /* both at least 1 */
    uint64_t row_words;     /* a multiple of 8, and 64 row_words at least width */
    uint32_t dead;          /* LIFE_DEAD_X and LIFE_DEAD_Y */
    uint64_t steps;         /* 0 is allowed and does nothing */
    uint32_t birth;         /* bit n: a dead cell with n live neighbours comes alive; 0 <= n <= 8 */
    uint32_t survive;       /* bit n: a live cell with n live neighbours stays alive */
    const struct life2d_square_network *network; /* the rule if it does not count neighbours; else NULL */
    life2d_row_code *row_code;                   /* the network as code for the vectors of this build; may be NULL */
    uint32_t threads;                            /* 0: as many as OpenMP starts; a small grid takes fewer */
    uint32_t steps_per_pass;        /* steps of a pass over the grid; 0: the kernel chooses by the size of the grid */
    void *workspace;                /* workspace_bytes(...) bytes, 64-byte aligned; its contents do not matter */
    struct life2d_settled *settled; /* to skip settled regions; NULL: all cells are computed */
};

/* A batch of small universes, which do not know of each other: rows and cells as in life2d_job. */
struct life2d_batch_job {
    uint64_t *cells;
    uint64_t width, height;
    uint64_t row_words, universe_words; /* from one row, or universe, to the next */
    uint32_t dead;                      /* LIFE_DEAD_X and LIFE_DEAD_Y */
    uint64_t steps;
    uint32_t birth, survive; /* it takes rules that count neighbours alone */
};

enum {
    LIFE2D_BATCH_TOGETHER = 8, /* most universes of a vector, in any build: best a multiple of it at a time */
    LIFE2D_BATCH_WORDS = 4096  /* most words of a universe, so that those of a vector stay in the second-level cache */
};

/* Can universes of this size share vectors, in every build? */
static inline int life2d_batch_fits(uint64_t width, uint64_t height)
{
    const uint64_t most = LIFE2D_BATCH_WORDS, words = (width + 63) / 64;
    return words <= most && height <= most && words * height <= most;
}

/* The bytes of workspace for universes that fit: two copies of their columns of words, and a dead column. */
static inline uint64_t life2d_batch_workspace(uint64_t width, uint64_t height)
{
    return (2 * ((width + 63) / 64) + 1) * height * 8 * LIFE2D_BATCH_TOGETHER;
}

/* One build. The result does not depend on the build, on `threads` or on `steps_per_pass`. */
struct life2d_kernel {
    struct isa_kernel isa;

    /* The bytes of workspace that advance needs. They grow with width x steps_per_pass x threads, not with the height.
     * 0 if width or height is 0, or if the number of cells does not fit into 64 bits. */
    uint64_t (*workspace_bytes)(uint64_t width, uint64_t height, uint32_t dead, uint32_t threads,
                                uint32_t steps_per_pass);

    /* The bytes of life2d_settled.workspace for each thread. */
    uint64_t (*settled_workspace_bytes)(const struct settled *map, uint64_t row_words);

    /* Advances the grid. It allocates nothing and cannot fail. Calls with the same workspace must not overlap. */
    void (*advance)(const struct life2d_job *job);

    /* Advances universes [first, first + count) of a batch that fits, in place, on the calling thread. The workspace
     * has life2d_batch_workspace(...) bytes, 64-byte aligned. Other threads may advance other universes at the same
     * time. */
    void (*advance_batch)(const struct life2d_batch_job *job, uint64_t first, uint64_t count, void *workspace);
};

/* One for each word of the Makefile's ISAS. The first two exist on x86-64 only. */
extern const struct life2d_kernel life2d_kernel_avx512, life2d_kernel_avx2, life2d_kernel_plain;

#endif
