/* The bin of d^2 for `cuda`, without a correctly rounded root and without a division.
 *
 * A multiply-add puts the bin into the bits of a float. s is the hardware's approximate root of d^2, dr the width of a
 * bin, and `slots` the smallest power of two that is at least the number of bins and RDF_SLOTS_MIN:
 *
 *     v = 1/2 + s / dr / (2 slots)                          saturated to [0, 1]
 *
 *      31  30      23 22            14 13               0
 *     +---+----------+----------------+------------------+  with 512 slots: 9 bits of slot, 14 bits of fraction
 *     | 0 | 01111110 |      slot      |     fraction     |  v = 1 (d^2 is out of range) carries into the exponent and
 *     +---+----------+----------------+------------------+  reads as slot number `slots`, which is never added up
 *
 * v is approximate, so a fraction near the end of a slot does not decide the bin: a predicate finds these pairs, and
 * the exact threshold of the next bin then decides. The comment at struct rdf_binning derives how near that is. */
#ifndef RDF_CUDA_BIN_H
#define RDF_CUDA_BIN_H

#include "rdf.h"

#include <string.h>

/* The histogram in shared memory has RDF_COUNTERS counters of 4 bytes, RDF_COUNTERS / slots of them for each slot, side
 * by side. The slot is in the bits of v from 23 - log2(slots) on, and its counters begin at byte 4 * RDF_COUNTERS /
 * slots * slot: v shifted right by 23 - log2(RDF_COUNTERS) - 2, whatever the number of slots is. */
enum { RDF_GUARD_MAX = 4, RDF_SLOTS_MIN = 512, RDF_COUNTERS = 1 << 14, RDF_COUNTER_SHIFT = 23 - 14 - 2 };

/* How v becomes a slot, and when the slot is the bin. v and the bin of the definition differ by at most 3 units of v's
 * last place, 2^-24, since s / dr / (2 slots) < 1/2:
 *
 *     1      s: sqrt.approx is off by at most 2^-23 of itself (PTX manual)
 *     1/2    `scale`, rounded to a float
 *     1/2    the multiply-add
 *     1      root and quotient of the definition, each rounded once
 *
 * So `low` is `guard` units less than 1/2, and the bin is never below the slot. Where the fraction is within 2 guard
 * units of the slot's end, the bin is this slot or the next one; elsewhere the bin is the slot. guard is a power of
 * two, so one mask, `end`, tests this: all its bits are set near a slot's end, and none is where v is saturated. A
 * guard of 4 is always enough. With a smaller one, fewer pairs need the threshold: create() takes the smallest guard
 * that gives the right bin for every d^2 near an edge (cuda_bin_guard.cu). */
struct rdf_binning {
    float scale, low;  /* v = s * scale + low */
    uint32_t fraction; /* bits of the fraction */
    uint32_t end;      /* mask: these bits of the fraction are all set near a slot's end */
    uint32_t slots;
};

RDF_INLINE struct rdf_binning rdf_binning_of(const struct rdf_bins *bins, uint32_t guard)
{
    struct rdf_binning binning;
    binning.slots = RDF_SLOTS_MIN, binning.fraction = 14;
    while (binning.slots < bins->count)
        binning.slots *= 2, binning.fraction--;
    binning.end = (1u << binning.fraction) - 2 * guard;
    binning.scale = (float) (0.5 / ((double) binning.slots * (double) bins->width));
    binning.low = 0.5f - (float) guard * 0x1p-24f;
    return binning;
}

/* The bits of v from the approximate root. */
RDF_INLINE uint32_t rdf_slot_bits(struct rdf_binning binning, float root)
{
#ifdef __CUDA_ARCH__
    float v;
    asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(v) : "f"(root), "f"(binning.scale), "f"(binning.low));
    return __float_as_uint(v);
#else
    const float sum = fmaf(root, binning.scale, binning.low), v = sum >= 0 ? (sum <= 1 ? sum : 1) : 0;
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
#endif
}

/* The predicate: nonzero if the slot is the bin, 0 if the bin may also be the next slot. */
RDF_INLINE int rdf_slot_is_certain(struct rdf_binning binning, uint32_t bits)
{
    return (~bits & binning.end) != 0;
}

/* The slot in the bits of v; -1 where v is below 1/2. */
RDF_INLINE int32_t rdf_slot_of(struct rdf_binning binning, uint32_t bits)
{
    return (int32_t) (bits - 0x3f000000) >> binning.fraction; /* 0x3f000000: the bits of 1/2 */
}

/* The fallback where the predicate is 0. thresholds[k] is rdf_threshold of bin k up to k = bins, and infinity up to
 * k = slots + 1. */
RDF_INLINE uint32_t rdf_slot_by_threshold(struct rdf_binning binning, uint32_t bits, float square,
                                          const float *thresholds)
{
    const int32_t slot = rdf_slot_of(binning, bits);
    return (uint32_t) (slot + (square >= thresholds[slot + 1]));
}

/* The floats [*begin, *end] near an edge for which a guard below RDF_GUARD_MAX could fail; twice as many, to be
 * sure. */
RDF_INLINE void rdf_uncertain_range(struct rdf_binning binning, uint32_t edge, float threshold, float *begin,
                                    float *end)
{
    const float part = 4 * RDF_GUARD_MAX * 0x1p-23f * (float) binning.slots / (float) edge; /* of d^2 */
    *begin = threshold * (part < 1 ? 1 - part : 0);
    *end = threshold * (1 + part);
}

#endif
