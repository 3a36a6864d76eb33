/* The vectors of one build of the kernel, and the bin of d^2 without a root and a division. `plain` has vectors of one
 * float.
 *
 * Arithmetic rounds as the definition says. The one approximation is sqrt(d^2) / dr, from the hardware's estimate y of
 * 1 / sqrt(d^2). With s = d^2 y and a Newton step,
 *
 *     sqrt(d^2) / dr  =  s (3 - s y) / 2 / dr
 *
 *     relative error                                    AVX-512              AVX2
 *     e, of the estimate y                              2^-14                1.5 * 2^-12
 *     3/2 e^2, after the Newton step                    1.5 * 2^-28          1.7 * 2^-23
 *     with the roundings                                < 2^-21              < 2^-21
 *     against the definition's rounded quotient         < 2^-20              < 2^-20
 *
 * A position among the bins is below `bins`, and so its error is below guard = bins * 2^-20. If the position is farther
 * than that from every integer, its floor is the bin. The predicate is one comparison: after the guard is added, the
 * fraction must be above 2 guard. Otherwise, and for NaN, the vector falls back to root and division. */
#ifndef RDF_CPU_KERNEL_VECTOR_H
#define RDF_CPU_KERNEL_VECTOR_H

#include "cpu_kernel.h"

#include <common/vector.h>
#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define LANES_avx512 16
#define LANES_avx2   8
#define LANES_plain  1
#define LANES        JOIN(LANES_, KERNEL_ISA)

#if LANES == 16

typedef __m512 vec;
typedef __mmask16 mask;

#define LOAD(p)        _mm512_loadu_ps(p)
#define SPLAT(a)       _mm512_set1_ps(a)
#define ADD(a, b)      _mm512_add_ps(a, b)
#define SUB(a, b)      _mm512_sub_ps(a, b)
#define MUL(a, b)      _mm512_mul_ps(a, b)
#define FMA(a, b, c)   _mm512_fmadd_ps(a, b, c)
#define FNMA(a, b, c)  _mm512_fnmadd_ps(a, b, c)
#define ABS(a)         _mm512_abs_ps(a)
#define MIN(a, b)      _mm512_min_ps(a, b)
#define MAX(a, b)      _mm512_max_ps(a, b)
#define LESS(a, b)     _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define AND(a, b)      ((mask) ((a) & (b)))
#define FIRST_LANES(n) ((mask) ((1u << (n)) - 1))

INLINE int all_lanes(mask m)
{
    return m == 0xffff;
}

/* Writes the lanes of a mask side by side, and anything behind them. Returns their number. */
INLINE uint64_t compress_store(float *out, mask m, vec v)
{
    if (all_lanes(m)) {
        _mm512_storeu_ps(out, v);
        return 16;
    }
    _mm512_storeu_ps(out, _mm512_maskz_compress_ps(m, v));
    return (uint64_t) __builtin_popcount(m);
}

INLINE vec rsqrt_estimate(vec square)
{
    return _mm512_rsqrt14_ps(square);
}

/* Nonzero if the fraction of every lane is above `least`. That of NaN is not. */
INLINE int fraction_above(vec at, vec least)
{
    const vec fraction = _mm512_reduce_ps(at, 9); /* less its floor; 9: round down (1), no exceptions (8) */
    return _mm512_cmp_ps_mask(fraction, least, _CMP_GT_OQ) == 0xffff;
}

INLINE vec quotient(vec square, vec width)
{
    return _mm512_div_ps(_mm512_sqrt_ps(square), width);
}

/* Stores the floors of two vectors as 16-bit integers, in any order. */
INLINE void store_bins(uint16_t *out, vec a, vec b)
{
    _mm512_storeu_si512(out, _mm512_packus_epi32(_mm512_cvttps_epi32(a), _mm512_cvttps_epi32(b)));
}

/* Stores the numbers of the couples' counters for bins a and b of the first particle, and c and d of the second, in the
 * same order. */
INLINE void store_couples(uint16_t *out, vec a, vec b, vec c, vec d)
{
    const __m512i first = _mm512_packus_epi32(_mm512_cvttps_epi32(a), _mm512_cvttps_epi32(b));
    const __m512i second = _mm512_packus_epi32(_mm512_cvttps_epi32(c), _mm512_cvttps_epi32(d));
    const __m512i ahead = _mm512_add_epi16(_mm512_sub_epi16(second, first), _mm512_set1_epi16(RDF_COUPLE_HALF));
    _mm512_storeu_si512(out, _mm512_add_epi16(_mm512_slli_epi16(first, 5), ahead));
}

#elif LANES == 8

typedef __m256 vec;
typedef __m256 mask;

#define LOAD(p)        _mm256_loadu_ps(p)
#define SPLAT(a)       _mm256_set1_ps(a)
#define ADD(a, b)      _mm256_add_ps(a, b)
#define SUB(a, b)      _mm256_sub_ps(a, b)
#define MUL(a, b)      _mm256_mul_ps(a, b)
#define FMA(a, b, c)   _mm256_fmadd_ps(a, b, c)
#define FNMA(a, b, c)  _mm256_fnmadd_ps(a, b, c)
#define ABS(a)         _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a)
#define MIN(a, b)      _mm256_min_ps(a, b)
#define MAX(a, b)      _mm256_max_ps(a, b)
#define LESS(a, b)     _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define AND(a, b)      _mm256_and_ps(a, b)

static const int32_t lanes_before[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
#define FIRST_LANES(n) _mm256_loadu_ps((const float *) (const void *) (lanes_before + 8 - (n)))

INLINE int all_lanes(mask m)
{
    return _mm256_movemask_ps(m) == 0xff;
}

/* AVX2 has no compress: a permutation moves the lanes, and bit operations on bytes make its indices. Lanes 1, 3 and 4:
 *
 *     set                             00011010
 *     pdep, times 0xff                00 00 00 ff ff 00 ff 00      a byte of ones for each set lane
 *     pext of 07 06 05 04 03 02 01 00                 04 03 01     picks the numbers of these lanes */
INLINE uint64_t compress_store(float *out, mask m, vec v)
{
    const uint64_t set = (uint64_t) _mm256_movemask_ps(m);
    if (set == 0xff) {
        _mm256_storeu_ps(out, v);
        return 8;
    }
    const uint64_t bytes = _pdep_u64(set, 0x0101010101010101) * 0xff;
    const uint64_t numbers = _pext_u64(0x0706050403020100, bytes);
    const __m256i lanes = _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t) numbers));
    _mm256_storeu_ps(out, _mm256_permutevar8x32_ps(v, lanes));
    return (uint64_t) __builtin_popcountll(set);
}

INLINE vec rsqrt_estimate(vec square)
{
    return _mm256_rsqrt_ps(square);
}

INLINE int fraction_above(vec at, vec least)
{
    return _mm256_movemask_ps(_mm256_cmp_ps(SUB(at, _mm256_floor_ps(at)), least, _CMP_GT_OQ)) == 0xff;
}

INLINE vec quotient(vec square, vec width)
{
    return _mm256_div_ps(_mm256_sqrt_ps(square), width);
}

INLINE void store_bins(uint16_t *out, vec a, vec b)
{
    const __m256i bins = _mm256_packus_epi32(_mm256_cvttps_epi32(a), _mm256_cvttps_epi32(b));
    _mm256_storeu_si256((__m256i *) (void *) out, bins);
}

INLINE void store_couples(uint16_t *out, vec a, vec b, vec c, vec d)
{
    const __m256i first = _mm256_packus_epi32(_mm256_cvttps_epi32(a), _mm256_cvttps_epi32(b));
    const __m256i second = _mm256_packus_epi32(_mm256_cvttps_epi32(c), _mm256_cvttps_epi32(d));
    const __m256i ahead = _mm256_add_epi16(_mm256_sub_epi16(second, first), _mm256_set1_epi16(RDF_COUPLE_HALF));
    _mm256_storeu_si256((__m256i *) (void *) out, _mm256_add_epi16(_mm256_slli_epi16(first, 5), ahead));
}

#else

typedef float vec;
typedef int mask;

#define LOAD(p)        (*(p))
#define SPLAT(a)       (a)
#define SUB(a, b)      ((a) - (b))
#define MUL(a, b)      ((a) * (b))
#define ABS(a)         __builtin_fabsf(a)
#define MIN(a, b)      ((a) < (b) ? (a) : (b))
#define MAX(a, b)      ((a) > (b) ? (a) : (b))
#define LESS(a, b)     ((a) < (b))
#define AND(a, b)      ((a) & (b))
#define FIRST_LANES(n) ((n) > 0)

#ifdef __FP_FAST_FMAF
#define FMA(a, b, c) __builtin_fmaf(a, b, c)
#else
#define FMA(a, b, c) fma_in_double(a, b, c)

/* For machines without a fused multiply-add. The product is exact in double. The sum is rounded to odd in double, so
 * that the second rounding, to float, is right (Boldo and Melquiond, IEEE Transactions on Computers 57 (2008) 462).
 * Knuth's two-sum finds what the first rounding lost. */
INLINE float fma_in_double(float a, float b, float c)
{
    const double product = (double) a * (double) b, sum = product + (double) c;
    const double part = sum - product;
    const double lost = (product - (sum - part)) + ((double) c - part);
    uint64_t bits;
    double odd;
    memcpy(&bits, &sum, sizeof bits);
    if (lost != 0 && bits % 2 == 0) /* to the neighbour on the side of what was lost */
        bits += (lost > 0) == (sum > 0) ? 1 : UINT64_MAX;
    memcpy(&odd, &bits, sizeof odd);
    return (float) odd;
}
#endif
#define FNMA(a, b, c) FMA(-(a), b, c)

INLINE int all_lanes(mask m)
{
    return m;
}

INLINE uint64_t compress_store(float *out, mask m, vec v)
{
    *out = v;
    return (uint64_t) m;
}

INLINE float root(float square)
{
#if defined(__x86_64__)
    return _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(square)));
#else
    return sqrtf(square);
#endif
}

INLINE vec quotient(vec square, vec width)
{
    return root(square) / width;
}

INLINE void store_bins(uint16_t *out, vec a, vec b)
{
    out[0] = (uint16_t) a, out[1] = (uint16_t) b;
}

INLINE void store_couples(uint16_t *out, vec a, vec b, vec c, vec d)
{
    const int first[] = {(int) a, (int) b}, second[] = {(int) c, (int) d};
    for (int k = 0; k < 2; k++)
        out[k] = (uint16_t) (first[k] * RDF_COUPLE + second[k] - first[k] + RDF_COUPLE_HALF);
}

#endif

#if LANES > 1
/* sqrt(d^2) / dr of the definition, or a number with the same floor. */
INLINE vec bin_position(vec square, vec width, vec half_inverse, vec guard)
{
    const vec y = rsqrt_estimate(square), s = MUL(square, y);
    const vec at = FMA(MUL(s, half_inverse), FNMA(s, y, SPLAT(3.0f)), guard); /* plus the guard */
    return __builtin_expect(fraction_above(at, ADD(guard, guard)), 1) ? at : quotient(square, width);
}
#else
INLINE vec bin_position(vec square, vec width, vec half_inverse, vec guard)
{
    (void) half_inverse, (void) guard;
    return quotient(square, width);
}
#endif

#endif
