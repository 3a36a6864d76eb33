/* The bin of d^2 without root and division, for `cuda`: two multiply-adds leave it in the bits of a float.
 *
 * With slots, a power of two and at least the bins, v = 1/2 + s / dr / (2 slots) lies in [1/2, 1), saturated to 1. The
 * 23 bits behind its leading one are the bin and, below it, 23 - log2(slots) bits of fraction; slot number `slots`
 * holds what saturates. s is the machine's approximate root, off by at most 2^-23 of itself (PTX manual, sqrt.approx).
 * In units of the last place of v, 2^-24, that is at most 1; the constant adds 1/2, the multiply-add 1/2, root and
 * quotient of the definition 1/2 each: 3 together. So v is computed twice, once `guard` places too low and once too
 * high. Where both are in the same slot that is the bin; otherwise it is the lower one or the next, as d^2 compared
 * with the exact threshold of the next one says. A guard of 4 is always right. With a smaller one, create tries every
 * d^2 that is within those 4 places of an edge: see rdf_check_guard. */
#ifndef RDF_CUDA_FAST_H
#define RDF_CUDA_FAST_H

#include "rdf.h"

#include <string.h>

enum { RDF_GUARD_MAX = 4 };

struct rdf_fast {
    float scale, low, high; /* v = s * scale + low, and + high */
    uint32_t fraction;      /* bits */
    uint32_t in_doubt;      /* 1 in the last bit of the slot */
    uint32_t slots;
};

RDF_INLINE struct rdf_fast rdf_fast_form(const struct rdf_bins *bins, uint32_t guard)
{
    struct rdf_fast fast;
    fast.slots = 1, fast.fraction = 23;
    while (fast.slots < bins->count)
        fast.slots *= 2, fast.fraction--;
    fast.in_doubt = 1u << fast.fraction;
    fast.scale = (float) (0.5 / ((double) fast.slots * (double) bins->width));
    fast.low = 0.5f - (float) guard * 0x1p-24f;
    fast.high = 0.5f + (float) guard * 0x1p-24f;
    return fast;
}

/* Bits of v from the approximate root; saturated by the machine, or here. */
RDF_INLINE uint32_t rdf_fast_bits(float root, float scale, float offset)
{
#ifdef __CUDA_ARCH__
    float v;
    asm("fma.rn.sat.f32 %0, %1, %2, %3;" : "=f"(v) : "f"(root), "f"(scale), "f"(offset));
    return __float_as_uint(v);
#else
    const float sum = fmaf(root, scale, offset), v = sum >= 0 ? (sum <= 1 ? sum : 1) : 0;
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
#endif
}

/* Is the slot in doubt? Of several pairs, `differences` may be their or. */
RDF_INLINE int rdf_fast_doubt(struct rdf_fast fast, uint32_t differences)
{
    return differences >= fast.in_doubt;
}

/* The slot by the lower bits of v; -1 below the first. */
RDF_INLINE int32_t rdf_fast_slot(struct rdf_fast fast, uint32_t low)
{
    return (int32_t) (low - 0x3f000000) >> fast.fraction;
}

/* The slot, whatever the doubt. thresholds[k] as rdf_threshold has it, up to k = bins; infinity up to slots + 1. */
RDF_INLINE uint32_t rdf_fast_settle(struct rdf_fast fast, uint32_t low, float square, const float *thresholds)
{
    const int32_t slot = rdf_fast_slot(fast, low);
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
