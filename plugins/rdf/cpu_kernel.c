/* One build of the pair loops for the instruction set KERNEL_ISA. Lanes are particles j:
 *
 *     one i, 2 vectors of j --> squares --> all in range? -- yes --> bins --> counts, one by one
 *                                               | no
 *                                               +-> the squares in range, side by side, in the queue --> later the same
 *
 * Bins of two vectors are found together, exactly (cpu_kernel_vector.h says how). Queued squares get theirs when they
 * fill whole vectors.
 *
 * Adding one to a count takes a store, and a core has about one a cycle. A couple of close particles i and k halves the
 * additions: its counters (cpu_kernel.h) count the pairs (i, j) and (k, j) together, and move to the counts at the end.
 * docs/lab/rdf.md has the rates. */
#include "cpu_kernel.h"
#include <stddef.h>
#include <string.h>

#include "cpu_kernel_vector.h"

/* ---- Bins -------------------------------------------------------------------------------------------------------- */

enum { TOGETHER = 2 * LANES };

/* The constants of bin_position, which stay in registers. */
struct scale {
    vec width, half_inverse, guard;
};

INLINE struct scale scale_of(const struct rdf_bins *bins)
{
    return (struct scale){SPLAT(bins->width), SPLAT(0.5f / bins->width), SPLAT((float) bins->count * 0x1p-20f)};
}

INLINE vec position_of(vec square, struct scale scale)
{
    return bin_position(square, scale.width, scale.half_inverse, scale.guard);
}

/* Bins in memory: `found` of them, of which `counted` are counted. Counting stays a little behind, so that its loads
 * and stores run beside the arithmetic of the next bins. */
struct bin_queue {
    uint64_t *counts;
    uint16_t *bins;
    uint64_t found, counted;
};

INLINE struct bin_queue bin_queue_of(struct rdf_queue *queue)
{
    return (struct bin_queue){queue->counts, queue->bins, 0, 0};
}

INLINE void count_bins(struct bin_queue *bins)
{
#pragma GCC unroll 32
    for (uint64_t u = 0; u < TOGETHER; u++)
        bins->counts[bins->bins[bins->counted + u]]++;
    bins->counted += TOGETHER;
}

/* Two vectors of squares in range. */
INLINE void find_bins(struct bin_queue *bins, struct scale scale, vec a, vec b)
{
    enum { BEHIND = 8 * TOGETHER };
    store_bins(bins->bins + bins->found, position_of(a, scale), position_of(b, scale));
    bins->found += TOGETHER;
    if (bins->found - bins->counted > BEHIND)
        count_bins(bins);
}

INLINE void count_rest(struct bin_queue *bins)
{
    while (bins->counted < bins->found)
        count_bins(bins);
}

/* ---- Queued squares ---------------------------------------------------------------------------------------------- */

/* Counts whole vectors; what is left, less than TOGETHER, stays queued. */
static void drain(const struct rdf_job *job, struct rdf_queue *queue)
{
    const struct scale scale = scale_of(&job->bins);
    const uint64_t count = queue->fill / TOGETHER * TOGETHER, rest = queue->fill - count;
    struct bin_queue bins = bin_queue_of(queue);
    for (const float *at = queue->squares; at < queue->squares + count; at += TOGETHER)
        find_bins(&bins, scale, LOAD(at), LOAD(at + LANES));
    count_rest(&bins);
    memmove(queue->squares, queue->squares + count, rest * sizeof *queue->squares);
    queue->fill = rest;
}

/* Moves the counters of couples to the counts. */
static void count_couples(const struct rdf_job *job, struct rdf_queue *queue)
{
    for (uint32_t bin = 0; queue->in_couples > 0 && bin < job->bins.count; bin++)
        for (uint32_t k = 0; k < RDF_COUPLE; k++) {
            uint32_t *counter = &queue->couples[bin * RDF_COUPLE + k];
            if (*counter > 0) {
                queue->counts[bin] += *counter;
                queue->counts[bin + k - RDF_COUPLE_HALF] += *counter;
                *counter = 0;
            }
        }
    queue->in_couples = 0;
}

static void flush(const struct rdf_job *job, struct rdf_queue *queue)
{
    drain(job, queue);
    count_couples(job, queue);
    for (uint64_t k = 0; k < queue->fill; k++)
        queue->counts[rdf_bin(&job->bins, queue->squares[k])]++;
    queue->fill = 0;
}

/* ---- Squares ----------------------------------------------------------------------------------------------------- */

struct positions {
    vec x, y, z;
};

INLINE vec shorter(vec d, float edge)
{
    return MIN(ABS(d), SUB(SPLAT(edge), ABS(d)));
}

INLINE vec nearest(vec d, float inverse)
{
    return SUB(FMA(d, SPLAT(inverse), SPLAT(RDF_INTEGERS)), SPLAT(RDF_INTEGERS));
}

/* rdf_square for a vector. */
INLINE vec square_of(const struct rdf_box *box, uint32_t form, struct positions d)
{
    if (form == RDF_ORTHORHOMBIC) {
        d.x = shorter(d.x, box->edge[0]);
        d.y = shorter(d.y, box->edge[1]);
        d.z = shorter(d.z, box->edge[2]);
    }
    if (form == RDF_TRICLINIC) {
        const vec c = nearest(d.z, box->inverse[2]);
        d.x = FNMA(c, SPLAT(box->xz), d.x);
        d.y = FNMA(c, SPLAT(box->yz), d.y);
        d.z = FNMA(c, SPLAT(box->edge[2]), d.z);
        const vec b = nearest(d.y, box->inverse[1]);
        d.x = FNMA(b, SPLAT(box->xy), d.x);
        d.y = FNMA(b, SPLAT(box->edge[1]), d.y);
        d.x = FNMA(nearest(d.x, box->inverse[0]), SPLAT(box->edge[0]), d.x);
    }
    return FMA(d.x, d.x, FMA(d.y, d.y, MUL(d.z, d.z)));
}

INLINE vec square_at(const struct rdf_job *job, uint32_t form, struct positions own, struct rdf_places others,
                     uint64_t j)
{
    const struct positions d = {SUB(own.x, LOAD(others.x + j)), SUB(own.y, LOAD(others.y + j)),
                                SUB(own.z, LOAD(others.z + j))};
    return square_of(&job->box, form, d);
}

INLINE struct positions positions_of(const struct rdf_job *job, uint64_t i)
{
    return (struct positions){SPLAT(job->sorted.x[i]), SPLAT(job->sorted.y[i]), SPLAT(job->sorted.z[i])};
}

/* The end of the chunk that begins at j, and where its particles are read. Long runs are divided at multiples of
 * RDF_CHUNK, so that most of their chunks are whole and can be read shuffled. */
INLINE uint64_t chunk_at(const struct rdf_job *job, uint64_t j, uint64_t j_end, struct rdf_places *others)
{
    const uint64_t to_multiple = RDF_CHUNK - j % RDF_CHUNK;
    const int whole = to_multiple == RDF_CHUNK && j_end - j >= RDF_CHUNK;
    *others = whole ? job->shuffled : job->sorted;
    if (j_end - j >= UINT64_C(4) * RDF_CHUNK || whole)
        return j + to_multiple;
    return j_end - j < RDF_CHUNK ? j_end : j + RDF_CHUNK;
}

/* One particle i with particles [j, end). Two vectors that are wholly in range are counted; of others the squares in
 * range are queued. */
INLINE void one_with_chunk(const struct rdf_job *job, uint32_t form, struct scale scale, struct rdf_queue *queue,
                           uint64_t i, struct rdf_places others, uint64_t j, uint64_t end)
{
    const struct positions own = positions_of(job, i);
    const vec range = SPLAT(job->bins.end);
    struct bin_queue bins = bin_queue_of(queue);
    float *out = queue->squares + queue->fill;
    for (; j + TOGETHER <= end; j += TOGETHER) {
        const vec a = square_at(job, form, own, others, j), b = square_at(job, form, own, others, j + LANES);
        const mask in_a = LESS(a, range), in_b = LESS(b, range);
        if (all_lanes(AND(in_a, in_b)))
            find_bins(&bins, scale, a, b);
        else {
            out += compress_store(out, in_a, a);
            out += compress_store(out, in_b, b);
        }
    }
    count_rest(&bins);
    for (; j < end; j += LANES) {
        const vec square = square_at(job, form, own, others, j);
        const mask exists = FIRST_LANES(end - j < LANES ? end - j : LANES);
        out += compress_store(out, AND(LESS(square, range), exists), square);
    }
    queue->fill = (uint64_t) (out - queue->squares);
}

/* The same for a couple, whose particles share the loads of particles j. Two vectors that are wholly in range of both
 * are counted in the couple's counters. */
INLINE void couple_with_chunk(const struct rdf_job *job, uint32_t form, struct scale scale, struct rdf_queue *queue,
                              const uint32_t couple[2], struct rdf_places others, uint64_t j, uint64_t end)
{
    enum { BEHIND = 8 * TOGETHER };
    const struct positions first = positions_of(job, couple[0]), second = positions_of(job, couple[1]);
    const vec range = SPLAT(job->bins.end);
    uint32_t *counters = queue->couples;
    uint16_t *numbers = queue->bins;
    uint64_t found = 0, counted = 0;
    float *out = queue->squares + queue->fill;
    for (; j + TOGETHER <= end; j += TOGETHER) {
        const vec a = square_at(job, form, first, others, j), b = square_at(job, form, first, others, j + LANES);
        const vec c = square_at(job, form, second, others, j), d = square_at(job, form, second, others, j + LANES);
        if (all_lanes(LESS(MAX(MAX(a, b), MAX(c, d)), range))) {
            store_couples(numbers + found, position_of(a, scale), position_of(b, scale), position_of(c, scale),
                          position_of(d, scale));
            found += TOGETHER;
            if (found - counted > BEHIND) {
#pragma GCC unroll 32
                for (uint64_t u = 0; u < TOGETHER; u++)
                    counters[numbers[counted + u]]++;
                counted += TOGETHER;
            }
        } else {
            out += compress_store(out, LESS(a, range), a);
            out += compress_store(out, LESS(b, range), b);
            out += compress_store(out, LESS(c, range), c);
            out += compress_store(out, LESS(d, range), d);
        }
    }
    for (; counted < found; counted++)
        counters[numbers[counted]]++;
    queue->in_couples += found;
    for (; j < end; j += LANES) {
        const vec a = square_at(job, form, first, others, j), b = square_at(job, form, second, others, j);
        const mask exists = FIRST_LANES(end - j < LANES ? end - j : LANES);
        out += compress_store(out, AND(LESS(a, range), exists), a);
        out += compress_store(out, AND(LESS(b, range), exists), b);
    }
    queue->fill = (uint64_t) (out - queue->squares);
}

/* Calls a loop with the kind of the box as a constant, so that there is a loop for each kind. */
#define FOR_BOX(loop, job, ...) \
    do { \
        if ((job)->box.form == RDF_OPEN) \
            loop(job, RDF_OPEN, __VA_ARGS__); \
        else if ((job)->box.form == RDF_ORTHORHOMBIC) \
            loop(job, RDF_ORTHORHOMBIC, __VA_ARGS__); \
        else \
            loop(job, RDF_TRICLINIC, __VA_ARGS__); \
    } while (0)

INLINE void pairs_in_box(const struct rdf_job *job, uint32_t form, struct rdf_queue *queue, uint64_t i, uint64_t i_end,
                         uint64_t j, uint64_t j_end)
{
    const struct scale scale = scale_of(&job->bins);
    struct rdf_places others;
    for (uint64_t end; j < j_end; j = end) {
        end = chunk_at(job, j, j_end, &others);
        for (uint64_t own = i; own < i_end; own++) {
            if (queue->fill + (end - j) > RDF_QUEUE_MAX)
                drain(job, queue);
            one_with_chunk(job, form, scale, queue, own, others, j, end);
        }
    }
}

static void pairs(const struct rdf_job *job, struct rdf_queue *queue, uint64_t i, uint64_t i_end, uint64_t j,
                  uint64_t j_end)
{
    FOR_BOX(pairs_in_box, job, queue, i, i_end, j, j_end);
}

INLINE void couples_in_box(const struct rdf_job *job, uint32_t form, struct rdf_queue *queue,
                           const uint32_t (*couple)[2], uint64_t count, uint64_t j, uint64_t j_end)
{
    const struct scale scale = scale_of(&job->bins);
    struct rdf_places others;
    for (uint64_t end; j < j_end; j = end) {
        end = chunk_at(job, j, j_end, &others);
        if (queue->in_couples + count * RDF_CHUNK > UINT32_MAX) /* what a counter holds */
            count_couples(job, queue);
        for (uint64_t k = 0; k < count; k++) {
            if (queue->fill + 2 * (end - j) > RDF_QUEUE_MAX)
                drain(job, queue);
            couple_with_chunk(job, form, scale, queue, couple[k], others, j, end);
        }
    }
}

static void couples(const struct rdf_job *job, struct rdf_queue *queue, const uint32_t (*couple)[2], uint64_t count,
                    uint64_t j, uint64_t j_end)
{
    FOR_BOX(couples_in_box, job, queue, couple, count, j, j_end);
}

/* ---- The kernel -------------------------------------------------------------------------------------------------- */

const struct rdf_kernel JOIN(rdf_kernel_, KERNEL_ISA) = {
    .isa = ISA_KERNEL,
    .pairs = pairs,
    .couples = couples,
    .flush = flush,
};
