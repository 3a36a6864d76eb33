/* The arithmetic of nbody's implementation `cpu`: sums over blocks of bodies. cpu_kernel.c is compiled once for each
 * instruction set; each build defines one `struct nbody_kernel`. */
#ifndef NBODY_CPU_KERNEL_H
#define NBODY_CPU_KERNEL_H

#include <common/isa.h>
#include <stdint.h>

/* Bodies in blocks. The size of a block follows from the number of bodies alone. The caller owns all arrays. */
struct nbody_job {
    uint64_t count, padded; /* bodies; and with padding of mass 0, a multiple of NBODY_PADDING */
    uint64_t block; /* bodies of a block, a multiple of NBODY_PADDING up to NBODY_BLOCK_MAX; the last may have fewer */
    double softening;
    const void *vx, *vy, *vz;     /* velocities, for `jerks` alone; arrays like the next ones */
    const void *x, *y, *z, *mass; /* `padded` floats or doubles each, 64-byte aligned */

    /* Sums of m d / (d^2 + softening^2)^(3/2) / scale, for a block as the first of a pair of blocks and as the second:
     * all x, all y, all z, `padded` each. */
    double *sums[2];

    /* The attraction on the second block of each pair, in the precision. A first block has `slot_count` slots, one
     * after another. A slot has all x, all y, all z, `block` each. */
    uint64_t slot_count;
    void *slots;
};

enum { NBODY_PADDING = 16, NBODY_BLOCK_MAX = 512 };

/* The number of blocks. */
static inline uint64_t nbody_blocks(const struct nbody_job *job)
{
    return (job->padded + job->block - 1) / job->block;
}

/* The kernel in one precision. Nothing here allocates or fails. Threads may work on different blocks at the same time
 * if no two of them write the same sums. */
struct nbody_forces {
    double scale; /* the sums must be multiplied by this */

    /* Sets the sums of a side of a block to 0. */
    void (*clear)(const struct nbody_job *job, uint64_t block, int side);

    /* Sets sums[0] of a block to the attraction of all bodies on it. */
    void (*plain)(const struct nbody_job *job, uint64_t block);

    /* Sets sums[0] of a block as plain does, and sums[1] to its change with time. */
    void (*jerks)(const struct nbody_job *job, uint64_t block);

    /* Sets sums[0] of a block to the attraction among its own bodies. */
    void (*diagonal)(const struct nbody_job *job, uint64_t block);

    /* The attraction between two blocks: adds to sums[0] of the first, and sets a slot of it for the second. */
    void (*pairs)(const struct nbody_job *job, uint64_t first, uint64_t second, uint64_t slot);

    /* Adds what `pairs` has set to sums[1] of the second. */
    void (*collect)(const struct nbody_job *job, uint64_t first, uint64_t second, uint64_t slot);

    /* value += h * rate, rounded once; `count` numbers in the precision. */
    void (*step)(uint64_t count, double h, const void *rate, void *value);
};

/* One compiled variant. */
struct nbody_kernel {
    struct isa_kernel isa;

    struct nbody_forces forces[2]; /* by NBODY_FLOAT, NBODY_DOUBLE */

    /* Sum of m_i m_j / sqrt(d^2 + softening^2) over the pairs i < j with j in the block. The job is in double. */
    double (*potential)(const struct nbody_job *job, uint64_t block);
};

/* One for each word of the Makefile's ISAS; all but the last exist on x86-64 alone. */
extern const struct nbody_kernel nbody_kernel_avx512, nbody_kernel_avx2, nbody_kernel_plain;

#endif
