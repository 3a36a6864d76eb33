/* The arithmetic of nbody-tree's implementation `cpu`. cpu_kernel.c is compiled once for each instruction set; each
 * build defines one `struct tree_kernel`. */
#ifndef NBODY_TREE_CPU_KERNEL_H
#define NBODY_TREE_CPU_KERNEL_H

#include "tree.h"

#include <common/isa.h>

enum { TREE_NEAR_MAX = 512, TREE_LANES_MAX = 16 };

/* Bodies that attract: `count` of them, then those without mass up to a multiple of TREE_LANES_MAX. Numbers are floats
 * or doubles: x, y, z, mass. */
struct tree_near {
    uint64_t count;
    double softening;
    double numbers[4][TREE_NEAR_MAX] __attribute__((aligned(64)));
};

/* Sorted bodies [begin, end) of a leaf, and sums for them. */
struct tree_targets {
    uint64_t begin, end;
    const void *const *sorted;                  /* x, y, z: floats or doubles */
    double (*sums)[TREE_LEAF + TREE_LANES_MAX]; /* along x, y, z; and potentials */
};

/* Cells whose potential is added to a polynomial. */
struct tree_job {
    const uint32_t *cells;
    uint64_t count;
    double centre[3]; /* of the polynomial */
    double nearest;   /* the distance of the nearest cell, softened: sqrt(d^2 + softening^2) */
    int order;        /* up to which the polynomial is wanted */
    double *local;
};

/* Nothing here allocates or fails. */
struct tree_kernel {
    struct isa_kernel isa;
    double scale[2]; /* the sums of `near` must be multiplied by this; by NBODY_FLOAT, NBODY_DOUBLE */

    /* Does a job. [0]: in float, for trees that are narrow; [1]: in double. */
    void (*far[2])(const struct tree *tree, const struct tree_job *job);

    /* Adds the gradient of a polynomial at bodies to sums[0] to [2], and its value to sums[3]. */
    void (*evaluate)(const struct tree_terms *terms, uint32_t precision, const double centre[3], const double *local,
                     const struct tree_targets *targets);

    /* Adds sums of m d / s^(3/2) to sums[0] to [2]; s = d^2 + softening^2. A term of d = 0 is 0. */
    void (*near[2])(const struct tree_near *near, const struct tree_targets *targets);

    /* Adds sums of m / s^(1/2) to sums[3], in double. A term of s = 0 is 0. */
    void (*potential[2])(const struct tree_near *near, const struct tree_targets *targets);
};

extern const struct tree_kernel tree_kernel_avx512, tree_kernel_avx2, tree_kernel_plain;

#endif
