/* The pair loops of implementation `cpu`. cpu_kernel.c is compiled once for each instruction set; each build defines
 * one `struct rdf_kernel`. */
#ifndef RDF_CPU_KERNEL_H
#define RDF_CPU_KERNEL_H

#include "rdf.h"

#include <common/isa.h>

enum {
    RDF_PADDING = 16,    /* floats that a kernel may read behind the end of x, y and z */
    RDF_CHUNK = 1024,    /* particles j of the inner loop: they stay in the first-level cache */
    RDF_QUEUE_MAX = 4096 /* squared distances in a queue */
};

/* Wrapped positions, sorted by group and cell; the padding is finite too. The caller owns the arrays. */
struct rdf_job {
    struct rdf_box box;
    struct rdf_bins bins;
    const float *x, *y, *z;
};

/* The pairs of one thread on their way into the counts. */
struct rdf_queue {
    uint64_t *counts;                           /* one a bin */
    uint64_t fill;                              /* of `squares` */
    float squares[RDF_QUEUE_MAX + RDF_PADDING]; /* squared distances in range, queued until they fill whole vectors */
    uint16_t bins[RDF_QUEUE_MAX + RDF_PADDING]; /* bins that are found, but not yet counted */
};

/* One compiled variant. */
struct rdf_kernel {
    struct isa_kernel isa;

    /* Counts or queues the pairs in range of each particle of [i, i_end) with each of [j, j_end). */
    void (*pairs)(const struct rdf_job *job, struct rdf_queue *queue, uint64_t i, uint64_t i_end, uint64_t j,
                  uint64_t j_end);

    /* Counts all queued distances. */
    void (*flush)(const struct rdf_job *job, struct rdf_queue *queue);
};

/* One for each word of the Makefile's ISAS; all but the last exist on x86-64 alone. */
extern const struct rdf_kernel rdf_kernel_avx512, rdf_kernel_avx2, rdf_kernel_plain;

#endif
