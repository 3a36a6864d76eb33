/* The pair loops of implementation `cpu`. cpu_kernel.c is compiled once for each instruction set; each build defines
 * one `struct rdf_kernel`. */
#ifndef RDF_CPU_KERNEL_H
#define RDF_CPU_KERNEL_H

#include "rdf.h"

#include <common/isa.h>

enum {
    RDF_PADDING = 16,    /* floats that a kernel may read behind the end of x, y and z */
    RDF_CHUNK = 1024,    /* particles j of the inner loop: they stay in the first-level cache */
    RDF_STRIDE = 32,     /* in a shuffled chunk, neighbours are as far apart as this in the sorted one */
    RDF_QUEUE_MAX = 4096 /* squared distances in a queue */
};

/* Two particles are a couple if they are so close together that their bins with any third particle differ by less than
 * RDF_COUPLE_HALF. Then one counter serves both bins, and one addition counts two pairs:
 *
 *     counter  (first bin) * RDF_COUPLE + (second bin) - (first bin) + RDF_COUPLE_HALF
 *
 * By the triangle inequality the distances differ by at most the couple's own distance. RDF_COUPLE_NEAR bins leave one
 * for the two floors and one for rounding. A counter's number has 16 bits. */
enum {
    RDF_COUPLE = 32,
    RDF_COUPLE_HALF = RDF_COUPLE / 2,
    RDF_COUPLE_NEAR = RDF_COUPLE_HALF - 3,
    RDF_COUPLE_COUNTERS = 1 << 16,
    RDF_COUPLE_BINS = RDF_COUPLE_COUNTERS / RDF_COUPLE - 1, /* the largest number of bins */
};

/* Wrapped positions; the padding is finite too. The caller owns the arrays. */
struct rdf_places {
    const float *x, *y, *z;
};

/* `sorted`: by group, cell and part. `shuffled`: the same, but the particles of each chunk are in another order. Sorted
 * neighbours are often in one bin, and then each addition to its count waits for the one before. */
struct rdf_job {
    struct rdf_box box;
    struct rdf_bins bins;
    struct rdf_places sorted, shuffled;
};

/* The pairs of one thread on their way into the counts. */
struct rdf_queue {
    uint64_t *counts;                           /* one a bin */
    uint32_t *couples;                          /* RDF_COUPLE_COUNTERS counters of couples */
    uint64_t in_couples;                        /* additions to `couples` since they were last moved to `counts` */
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

    /* The same for each of `count` couples of particles, whose numbers stand in `couple`, with each of [j, j_end). */
    void (*couples)(const struct rdf_job *job, struct rdf_queue *queue, const uint32_t (*couple)[2], uint64_t count,
                    uint64_t j, uint64_t j_end);

    /* Counts all queued distances, and moves the counters of couples to the counts. */
    void (*flush)(const struct rdf_job *job, struct rdf_queue *queue);
};

/* One for each word of the Makefile's ISAS; all but the last exist on x86-64 alone. */
extern const struct rdf_kernel rdf_kernel_avx512, rdf_kernel_avx2, rdf_kernel_plain;

#endif
