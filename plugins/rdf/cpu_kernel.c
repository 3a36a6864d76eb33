/*
 * One build of the work on pairs, for the instruction set RDF_ISA. Where all of two vectors are in range, their bins
 * are found at once; else the squares of distances that are wait side by side, and their bins are found when enough do.
 * Bins are counted one by one. cpu_kernel_vector.h says why the bins are exact.
 *
 * 10^9 pairs a second on one core of an Emerald Rapids Xeon at 3.0 GHz (gcc 12 -O2, 2026-11-20, 44028 particles, 512
 * bins, uniform in a cube, by the thread's own clock, other work on the machine):
 *
 *   in range          all   52 %    8 %   none
 *   AVX-512           1.6    1.8    3.1    6.0
 *   AVX2              1.3    1.2    1.8
 *
 * Since then 18 % faster where all are in range, 7 % at 52 % (2026-11-22, pairs of runs): what finds a bin stays in
 * registers, bins are read one by one instead of four at a time, and squares wait only where some are out of range.
 *
 * Adding one to a count takes a store, one a cycle: counting alone runs at 2.8, with the bins found beside it at 2.05.
 * Squares are bound by the two units for 512-bit vectors: 10 operations a vector that is kept in part.
 */
#include "cpu_kernel.h"
#include <stddef.h>
#include <string.h>

#include "cpu_kernel_vector.h"

/* ---- Bins -------------------------------------------------------------------------------------------------------- */

enum { TOGETHER = 2 * LANES };

/* What a bin is found with, in registers. */
struct scale {
    vec width, half_inverse, guard;
};

INLINE struct scale scale_of(const struct rdf_bins *bins)
{
    return (struct scale){ALL(bins->width), ALL(0.5f / bins->width), ALL((float) bins->count * 0x1p-20f)};
}

/* Bins that are found, and those of them that are counted. Counting is a little behind: its loads and stores and the
 * arithmetic of the bins that come go side by side. */
struct queue {
    uint64_t *counts;
    uint16_t *bins;
    uint64_t found, counted;
};

INLINE struct queue queue_of(struct rdf_sink *sink)
{
    return (struct queue){sink->counts, sink->bins, 0, 0};
}

INLINE void count_bins(struct queue *queue)
{
#pragma GCC unroll 32
    for (uint64_t u = 0; u < TOGETHER; u++)
        queue->counts[queue->bins[queue->counted + u]]++;
    queue->counted += TOGETHER;
}

/* Two vectors of squares in range. */
INLINE void find_bins(struct queue *queue, struct scale scale, vec a, vec b)
{
    enum { BEHIND = 8 * TOGETHER };
    store_bins(queue->bins + queue->found, quotient_or_so(a, scale.width, scale.half_inverse, scale.guard),
               quotient_or_so(b, scale.width, scale.half_inverse, scale.guard));
    queue->found += TOGETHER;
    if (queue->found - queue->counted > BEHIND)
        count_bins(queue);
}

INLINE void count_rest(struct queue *queue)
{
    while (queue->counted < queue->found)
        count_bins(queue);
}

/* ---- What waits -------------------------------------------------------------------------------------------------- */

/* Counts it but for a rest, which goes on waiting. */
static void drain(const struct rdf_job *job, struct rdf_sink *sink)
{
    const struct scale scale = scale_of(&job->bins);
    const uint64_t count = sink->fill / TOGETHER * TOGETHER, rest = sink->fill - count;
    struct queue queue = queue_of(sink);
    for (const float *at = sink->squares; at < sink->squares + count; at += TOGETHER)
        find_bins(&queue, scale, LOAD(at), LOAD(at + LANES));
    count_rest(&queue);
    memmove(sink->squares, sink->squares + count, rest * sizeof *sink->squares);
    sink->fill = rest;
}

static void flush(const struct rdf_job *job, struct rdf_sink *sink)
{
    drain(job, sink);
    for (uint64_t k = 0; k < sink->fill; k++)
        sink->counts[rdf_bin(&job->bins, sink->squares[k])]++;
    sink->fill = 0;
}

/* ---- Squares ----------------------------------------------------------------------------------------------------- */

struct places {
    vec x, y, z;
};

INLINE vec shorter(vec d, float edge)
{
    return MIN(ABS(d), SUB(ALL(edge), ABS(d)));
}

INLINE vec nearest(vec d, float inverse)
{
    return SUB(FMA(d, ALL(inverse), ALL(RDF_INTEGERS)), ALL(RDF_INTEGERS));
}

/* As rdf_square has it. */
INLINE vec square_of(const struct rdf_box *box, uint32_t form, struct places d)
{
    if (form == RDF_ORTHORHOMBIC) {
        d.x = shorter(d.x, box->edge[0]);
        d.y = shorter(d.y, box->edge[1]);
        d.z = shorter(d.z, box->edge[2]);
    }
    if (form == RDF_TRICLINIC) {
        const vec c = nearest(d.z, box->inverse[2]);
        d.x = FNMA(c, ALL(box->xz), d.x);
        d.y = FNMA(c, ALL(box->yz), d.y);
        d.z = FNMA(c, ALL(box->edge[2]), d.z);
        const vec b = nearest(d.y, box->inverse[1]);
        d.x = FNMA(b, ALL(box->xy), d.x);
        d.y = FNMA(b, ALL(box->edge[1]), d.y);
        d.x = FNMA(nearest(d.x, box->inverse[0]), ALL(box->edge[0]), d.x);
    }
    return FMA(d.x, d.x, FMA(d.y, d.y, MUL(d.z, d.z)));
}

INLINE vec square_at(const struct rdf_job *job, uint32_t form, struct places own, uint64_t j)
{
    const struct places d = {SUB(own.x, LOAD(job->x + j)), SUB(own.y, LOAD(job->y + j)), SUB(own.z, LOAD(job->z + j))};
    return square_of(&job->box, form, d);
}

/* One particle with a stretch of others: what is in range waits, or is counted where two vectors wholly are. */
INLINE void meet_stretch(const struct rdf_job *job, uint32_t form, struct scale scale, struct rdf_sink *sink,
                         uint64_t i, uint64_t j, uint64_t end)
{
    const struct places own = {ALL(job->x[i]), ALL(job->y[i]), ALL(job->z[i])};
    const vec range = ALL(job->bins.end);
    struct queue queue = queue_of(sink);
    float *out = sink->squares + sink->fill;
    for (; j + TOGETHER <= end; j += TOGETHER) {
        const vec a = square_at(job, form, own, j), b = square_at(job, form, own, j + LANES);
        const mask in_a = LESS(a, range), in_b = LESS(b, range);
        if (is_all(AND(in_a, in_b)))
            find_bins(&queue, scale, a, b);
        else {
            out += keep(out, in_a, a);
            out += keep(out, in_b, b);
        }
    }
    count_rest(&queue);
    for (; j < end; j += LANES) {
        const vec square = square_at(job, form, own, j);
        out += keep(out, AND(LESS(square, range), FIRST(end - j < LANES ? end - j : LANES)), square);
    }
    sink->fill = (uint64_t) (out - sink->squares);
}

INLINE void meet_form(const struct rdf_job *job, uint32_t form, struct rdf_sink *sink, uint64_t i, uint64_t i_end,
                      uint64_t j, uint64_t j_end)
{
    const struct scale scale = scale_of(&job->bins);
    for (; j < j_end; j += RDF_STRETCH) {
        const uint64_t end = j_end - j < RDF_STRETCH ? j_end : j + RDF_STRETCH;
        for (uint64_t own = i; own < i_end; own++) {
            if (sink->fill + (end - j) > RDF_ROOM)
                drain(job, sink);
            meet_stretch(job, form, scale, sink, own, j, end);
        }
    }
}

static void meet(const struct rdf_job *job, struct rdf_sink *sink, uint64_t i, uint64_t i_end, uint64_t j,
                 uint64_t j_end)
{
    if (job->box.form == RDF_OPEN)
        meet_form(job, RDF_OPEN, sink, i, i_end, j, j_end);
    else if (job->box.form == RDF_ORTHORHOMBIC)
        meet_form(job, RDF_ORTHORHOMBIC, sink, i, i_end, j, j_end);
    else
        meet_form(job, RDF_TRICLINIC, sink, i, i_end, j, j_end);
}

/* ---- The variant ------------------------------------------------------------------------------------------------- */

const struct rdf_kernel JOIN(rdf_kernel_, RDF_ISA) = {
    .isa = ISA_KERNEL(RDF_ISA),
    .meet = meet,
    .flush = flush,
};
