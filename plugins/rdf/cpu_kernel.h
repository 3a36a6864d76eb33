/* What implementation `cpu` does with pairs. cpu_kernel.c is compiled once per instruction set; each build leaves one
 * `struct rdf_kernel`. */
#ifndef RDF_CPU_KERNEL_H
#define RDF_CPU_KERNEL_H

#include "rdf.h"

#include <common/isa.h>

enum {
    RDF_PADDING = 16,   /* floats that may be read behind the end of an array of places */
    RDF_STRETCH = 1024, /* particles that are met at a time */
    RDF_ROOM = 4096     /* of a sink */
};

/* Particles sorted by group and cell, finite everywhere. The caller owns the arrays. */
struct rdf_job {
    struct rdf_box box;
    struct rdf_bins bins;
    const float *x, *y, *z;
};

/* Where the pairs of one thread go. squares[0 … fill) wait for their bins. */
struct rdf_sink {
    uint64_t *counts; /* one a bin */
    uint64_t fill;
    float squares[RDF_ROOM + RDF_PADDING];
    uint16_t bins[RDF_ROOM + RDF_PADDING];
};

/* One compiled variant. */
struct rdf_kernel {
    struct isa_kernel isa;

    /* Every particle of [i, i_end) with every one of [j, j_end). What is in range waits in the sink. */
    void (*meet)(const struct rdf_job *job, struct rdf_sink *sink, uint64_t i, uint64_t i_end, uint64_t j,
                 uint64_t j_end);

    /* Counts what waits. */
    void (*flush)(const struct rdf_job *job, struct rdf_sink *sink);
};

/* One for each word of the Makefile's ISAS; but for the last, on x86-64 alone. */
extern const struct rdf_kernel rdf_kernel_avx512, rdf_kernel_avx2, rdf_kernel_plain;

#endif
