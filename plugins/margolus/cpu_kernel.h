/* The kernels of margolus on the CPU: cpu_kernel.c, compiled once for each instruction set. */
#ifndef MARGOLUS_CPU_KERNEL_H
#define MARGOLUS_CPU_KERNEL_H

#include "margolus.h"

#include <common/isa.h>

enum { MARGOLUS_VECTOR = 8 /* words in the largest vector */ };

/* struct margolus_form for vectors. */
struct margolus_vectors {
    uint64_t c[2][4][4][MARGOLUS_VECTOR];
};

/* A grid of bits: rows of 64-bit words, whose number is a multiple of MARGOLUS_VECTOR. Bits beyond the width may have
 * any value. */
struct margolus_grid {
    const struct margolus_vectors *forms; /* two: for blocks that begin at even columns, and at odd ones */
    int64_t width, words;
    uint32_t edge; /* along x: ENGINE_EDGE_… */
};

struct margolus_kernel {
    struct isa_kernel isa;

    /* Takes a step of two rows, in place. Blocks begin at column `first`, 0 or 1, and every other one. beyond[i]: the
     * value of cells beyond a dead or fixed edge of a row. `spare` has room for two rows and a vector on both sides of
     * each. */
    void (*pair)(const struct margolus_grid *grid, uint64_t *const rows[2], const uint64_t beyond[2], uint32_t first,
                 uint64_t *spare);
};

extern const struct margolus_kernel margolus_kernel_avx512, margolus_kernel_avx2, margolus_kernel_plain;

#endif
