/* The bin of d^2 without root and division, for `cuda`: a multiply-add leaves it in the bits of a float.
 *
 * With slots, a power of two and at least the bins and RDF_SLOTS_MIN, v = 1/2 + s / dr / (2 slots) lies in [1/2, 1),
 * saturated to 1. The 23 bits behind its leading one are the bin and, below it, 23 - log2(slots) bits of fraction; slot
 * number `slots` holds what saturates. s is the machine's approximate root, off by at most 2^-23 of itself (PTX manual,
 * sqrt.approx). In units of the last place of v, 2^-24, that is at most 1; the constant adds 1/2, the multiply-add 1/2,
 * root and quotient of the definition 1/2 each: 3 together. So v is computed `guard` places too low. Where the fraction
 * is less than 2 guard from the slot's end, the bin is this slot or the next, as d^2 compared with the exact threshold
 * of the next one says; elsewhere it is this slot. guard is a power of two, so that an end is where the fraction's
 * upper bits are all set; what saturates has none. A guard of 4 is always right. With a smaller one, create tries every
 * d^2 that is within those 4 places of an edge: see cuda_guard.cu. */
#ifndef RDF_CUDA_FAST_H
#define RDF_CUDA_FAST_H

#include "rdf.h"

#include <string.h>

/* The histogram in shared memory has RDF_COUNTERS counters: a slot's stand side by side, RDF_COUNTERS / slots of them.
 * So the bits of v, RDF_COUNTER_SHIFT places to the right, are bytes there. */
enum { RDF_GUARD_MAX = 4, RDF_SLOTS_MIN = 512, RDF_COUNTERS = 1 << 14, RDF_COUNTER_SHIFT = 23 - 14 - 2 };

struct rdf_fast {
    float scale, low;  /* v = s * scale + low */
    uint32_t fraction; /* bits */
    uint32_t end;      /* those of the fraction that are all set at a slot's end */
    uint32_t slots;
};

RDF_INLINE struct rdf_fast rdf_fast_form(const struct rdf_bins *bins, uint32_t guard)
{
    struct rdf_fast fast;
    fast.slots = RDF_SLOTS_MIN, fast.fraction = 14;
    while (fast.slots < bins->count)
        fast.slots *= 2, fast.fraction--;
    fast.end = (1u << fast.fraction) - 2 * guard;
    fast.scale = (float) (0.5 / ((double) fast.slots * (double) bins->width));
    fast.low = 0.5f - (float) guard * 0x1p-24f;
    return fast;
}

/* Bits of v from the approximate root; saturated by the machine, or here. */
RDF_INLINE uint32_t rdf_fast_bits(struct rdf_fast fast, float root)
{
#ifdef __CUDA_ARCH__
    float v;
    asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(v) : "f"(root), "f"(fast.scale), "f"(fast.low));
    return __float_as_uint(v);
#else
    const float sum = fmaf(root, fast.scale, fast.low), v = sum >= 0 ? (sum <= 1 ? sum : 1) : 0;
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
#endif
}

/* Is the slot in no doubt? */
RDF_INLINE int rdf_fast_sure(struct rdf_fast fast, uint32_t bits)
{
    return (~bits & fast.end) != 0;
}

/* The slot by the bits of v; -1 below the first. */
RDF_INLINE int32_t rdf_fast_slot(struct rdf_fast fast, uint32_t bits)
{
    return (int32_t) (bits - 0x3f000000) >> fast.fraction;
}

/* The slot where it is in doubt. thresholds[k] as rdf_threshold has it, up to k = bins; infinity up to slots + 1. */
RDF_INLINE uint32_t rdf_fast_settle(struct rdf_fast fast, uint32_t bits, float square, const float *thresholds)
{
    const int32_t slot = rdf_fast_slot(fast, bits);
    return (uint32_t) (slot + (square >= thresholds[slot + 1]));
}

/* The floats [*begin, *end] around an edge that the analysis above leaves open, twice as many to be sure. */
RDF_INLINE void rdf_fast_around(struct rdf_fast fast, uint32_t edge, float threshold, float *begin, float *end)
{
    const float part = 4 * RDF_GUARD_MAX * 0x1p-23f * (float) fast.slots / (float) edge; /* of d^2 */
    *begin = threshold * (part < 1 ? 1 - part : 0);
    *end = threshold * (1 + part);
}

#endif
