/* The kernels of cpu, which cpu_kernel.c makes for each instruction set. All of them give the same bits: no operation
 * is fused, and sums are integers. cuda reads the same numbers of the potentials. */
#ifndef PAIRS_CPU_KERNEL_H
#define PAIRS_CPU_KERNEL_H

#include "pairs.h"

#include <common/isa.h>

enum {
    PAIRS_LANES = 16,       /* the lengths of lists are multiples of this */
    PAIRS_TABLE_BINS = 4096 /* of a table, over the square of the distance */
};

struct pairs_place {
    uint32_t x[3], species;
};

/* What the kernels read. Positions are fractions of the box in units of 2^-32, so that the difference of two, as a
 * signed number, is that of nearest images. */
struct pairs_job {
    const uint32_t *x[3];
    const struct pairs_place *at; /* the same, and species */
    float scale[3];               /* length of a unit along each axis */
    float tilt[3];                /* the tilts xy, xz, yz of a unit */
    uint32_t skewed;
    float reach;
    uint32_t potential, species_count;

    /* For each type. The force is in the unit that pairs_job_set returns. */
    float cutoff2[PAIRS_TYPES], sigma2[PAIRS_TYPES], strength[PAIRS_TYPES];
    float kappa;

    /* Bin k of a table has the coefficients table[4 k] … of a cubic in the bin, of force / distance for epsilon = sigma
     * = 1. */
    const float *table;
    float table_begin, table_scale; /* bin = (square - begin) * scale */
};

/* The force on a particle as integers. */
struct pairs_sum {
    int64_t force[3];
};

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the numbers of the potentials, for all types. Returns the unit of forces. ---- job.c */
double pairs_job_set(const struct pairs_plan *plan, struct pairs_job *job);

/* Makes the table of a plan that has one, in scratch memory of the host. ENGINE_NO_MEMORY. */
int pairs_job_table(const struct engine_host *host, const struct pairs_plan *plan, struct pairs_job *job);

#ifdef __cplusplus
}
#endif

struct pairs_kernel {
    struct isa_kernel isa;

    /* Sets the force of the particles of a list on particle i. Entries that are i itself do not count. Returns 0 if 32
     * bits might be too few for a sum; then *sum is not set. */
    int (*force)(const struct pairs_job *job, uint32_t i, const uint32_t *list, uint32_t length, struct pairs_sum *sum);

    /* Adds the force of particles [begin, end) to *sum, whatever its size. */
    void (*add)(const struct pairs_job *job, uint32_t i, uint32_t begin, uint32_t end, struct pairs_sum *sum);

    /* Appends those of particles [begin, end) within the distance whose square is `square`, without i, to a list.
     * Returns the length, or UINT32_MAX if the list's `room` entries might be too few. x[] has PAIRS_LANES entries
     * behind the last particle, of any value. */
    uint32_t (*search)(const struct pairs_job *job, uint32_t i, uint32_t begin, uint32_t end, float square,
                       uint32_t *list, uint32_t length, uint32_t room);
};

extern const struct pairs_kernel pairs_kernel_avx512, pairs_kernel_avx2, pairs_kernel_plain;

#endif
