/*
 * The multi-threaded CPU kernel of two-dimensional Life: any outer-totalistic rule B.../S... on a torus of any width
 * and height. cpu_kernel.c is compiled once per instruction set; each build leaves one `struct life2d_kernel`.
 */
#ifndef LIFE2D_CPU_KERNEL_H
#define LIFE2D_CPU_KERNEL_H

#include <common/isa.h>
#include <stdint.h>

/* One call of a kernel: advance a grid by `steps`, in place. The caller owns everything in it. */
struct life2d_job {
    /* Row y starts at cells + y * row_words; cell x is bit x % 64 (lowest first) of word x / 64. 64-byte aligned.
     * Bits at x >= width are ignored on entry and hold anything on return. */
    uint64_t *cells;
    uint64_t width, height;  /* both at least 1 */
    uint64_t row_words;      /* a multiple of 8, and 64 row_words at least width */
    uint64_t steps;          /* 0 is allowed and does nothing */
    uint32_t birth;          /* bit n: a dead cell with n live neighbours comes alive; 0 <= n <= 8 */
    uint32_t survive;        /* bit n: a live cell with n live neighbours stays alive */
    uint32_t threads;        /* 0: as many as OpenMP would start; a small grid takes fewer */
    uint32_t steps_per_pass; /* how many steps a pass over the grid makes; 0: what suits the width and the height */
    void *workspace;         /* workspace_bytes(...) bytes for the same four values, 64-byte aligned; any contents */
};

/* One compiled variant. The result never depends on the variant, `threads` or `steps_per_pass`. */
struct life2d_kernel {
    struct isa_kernel isa;

    /* Scratch memory that advance needs, in bytes: grows with width x steps_per_pass x threads, not with the height. 0
     * if width or height is 0, or the grid is too large to count its cells. */
    uint64_t (*workspace_bytes)(uint64_t width, uint64_t height, uint32_t threads, uint32_t steps_per_pass);

    /* Advances the grid; allocates nothing and cannot fail. One call at a time for one workspace. */
    void (*advance)(const struct life2d_job *job);
};

/* One for each word of the Makefile's ISAS; but for the last, on x86-64 alone. */
extern const struct life2d_kernel life2d_kernel_avx512, life2d_kernel_avx2, life2d_kernel_plain;

#endif
