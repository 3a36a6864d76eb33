/* The vectors that a build of the kernel works on; `plain` has vectors of one float.
 *
 * Beyond arithmetic that rounds as the definition says there is one approximation, sqrt(d^2) / dr by the machine's
 * estimate y of an inverse root: with s = d^2 y one Newton step is s (3 - s y) / 2. It leaves 3/2 times the square of
 * the estimate's error, which is 2^-14 with AVX-512 and 1.5 * 2^-12 with AVX2, and a few roundings: below 2^-21 of the
 * root. Multiplied by fl(1 / dr), and compared with the quotient of the definition, it is off by less than 2^-20 of
 * itself. So where it is further than a guard of bins * 2^-20 from the next integer, its floor is the bin; elsewhere,
 * and where it is not a number, root and division decide.
 */
#ifndef RDF_CPU_KERNEL_VECTOR_H
#define RDF_CPU_KERNEL_VECTOR_H

#include <math.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define LANES_avx512 16
#define LANES_avx2   8
#define LANES_plain  1
#define JOIN_(a, b)  a##b
#define JOIN(a, b)   JOIN_(a, b)
#define LANES        JOIN(LANES_, RDF_ISA)
#define INLINE       static inline __attribute__((always_inline))

#if LANES == 16

typedef __m512 vec;
typedef __mmask16 mask;

#define LOAD(p)       _mm512_loadu_ps(p)
#define ALL(a)        _mm512_set1_ps(a)
#define ADD(a, b)     _mm512_add_ps(a, b)
#define SUB(a, b)     _mm512_sub_ps(a, b)
#define MUL(a, b)     _mm512_mul_ps(a, b)
#define FMA(a, b, c)  _mm512_fmadd_ps(a, b, c)
#define FNMA(a, b, c) _mm512_fnmadd_ps(a, b, c)
#define ABS(a)        _mm512_abs_ps(a)
#define MIN(a, b)     _mm512_min_ps(a, b)
#define LESS(a, b)    _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ)
#define AND(a, b)     ((mask) ((a) & (b)))
#define FIRST(n)      ((mask) ((1u << (n)) - 1))

INLINE int is_all(mask m)
{
    return m == 0xffff;
}

/* Writes the lanes of a mask side by side, and rubbish behind them. Their number. */
INLINE uint64_t keep(float *out, mask m, vec v)
{
    if (is_all(m)) {
        _mm512_storeu_ps(out, v);
        return 16;
    }
    _mm512_storeu_ps(out, _mm512_maskz_compress_ps(m, v));
    return (uint64_t) __builtin_popcount(m);
}

INLINE vec estimate(vec square)
{
    return _mm512_rsqrt14_ps(square);
}

/* Is the part behind the point larger than this in every lane? Of NaN it is not. */
INLINE int is_beyond(vec at, vec least)
{
    return _mm512_cmp_ps_mask(_mm512_reduce_ps(at, 9), least, _CMP_GT_OQ) == 0xffff; /* 9: less its floor */
}

INLINE vec quotient(vec square, vec width)
{
    return _mm512_div_ps(_mm512_sqrt_ps(square), width);
}

/* In any order. */
INLINE void store_bins(uint16_t *out, vec a, vec b)
{
    _mm512_storeu_si512(out, _mm512_packus_epi32(_mm512_cvttps_epi32(a), _mm512_cvttps_epi32(b)));
}

#elif LANES == 8

typedef __m256 vec;
typedef __m256 mask;

#define LOAD(p)       _mm256_loadu_ps(p)
#define ALL(a)        _mm256_set1_ps(a)
#define ADD(a, b)     _mm256_add_ps(a, b)
#define SUB(a, b)     _mm256_sub_ps(a, b)
#define MUL(a, b)     _mm256_mul_ps(a, b)
#define FMA(a, b, c)  _mm256_fmadd_ps(a, b, c)
#define FNMA(a, b, c) _mm256_fnmadd_ps(a, b, c)
#define ABS(a)        _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a)
#define MIN(a, b)     _mm256_min_ps(a, b)
#define LESS(a, b)    _mm256_cmp_ps(a, b, _CMP_LT_OQ)
#define AND(a, b)     _mm256_and_ps(a, b)

static const int32_t lanes_before[16] = {-1, -1, -1, -1, -1, -1, -1, -1};
#define FIRST(n)      _mm256_loadu_ps((const float *) (const void *) (lanes_before + 8 - (n)))

INLINE int is_all(mask m)
{
    return _mm256_movemask_ps(m) == 0xff;
}

/* The numbers of the lanes that are set, one a byte: a byte of ones for each set lane picks them. */
INLINE uint64_t keep(float *out, mask m, vec v)
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

INLINE vec estimate(vec square)
{
    return _mm256_rsqrt_ps(square);
}

INLINE int is_beyond(vec at, vec least)
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

#else

typedef float vec;
typedef int mask;

#define LOAD(p)    (*(p))
#define ALL(a)     (a)
#define SUB(a, b)  ((a) - (b))
#define MUL(a, b)  ((a) * (b))
#define ABS(a)     __builtin_fabsf(a)
#define MIN(a, b)  ((a) < (b) ? (a) : (b))
#define LESS(a, b) ((a) < (b))
#define AND(a, b)  ((a) & (b))
#define FIRST(n)   ((n) > 0)

#ifdef __FP_FAST_FMAF
#define FMA(a, b, c) __builtin_fmaf(a, b, c)
#else
#define FMA(a, b, c) fma_in_double(a, b, c)

/* Where the machine has no such operation: the product is exact in double, and the sum is rounded to odd there, which
 * makes the second rounding right (Boldo and Melquiond, IEEE Transactions on Computers 57 (2008) 462). What the first
 * one lost is found by Knuth's two-sum. */
INLINE float fma_in_double(float a, float b, float c)
{
    const double product = (double) a * (double) b, sum = product + (double) c;
    const double part = sum - product;
    const double lost = (product - (sum - part)) + ((double) c - part);
    uint64_t bits;
    double odd;
    memcpy(&bits, &sum, sizeof bits);
    if (lost != 0 && bits % 2 == 0) /* away from 0, or towards it: to the neighbour on the side of what was lost */
        bits += (lost > 0) == (sum > 0) ? 1 : UINT64_MAX;
    memcpy(&odd, &bits, sizeof odd);
    return (float) odd;
}
#endif
#define FNMA(a, b, c) FMA(-(a), b, c)

INLINE int is_all(mask m)
{
    return m;
}

INLINE uint64_t keep(float *out, mask m, vec v)
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

#endif

#if LANES > 1
/* The quotient of the definition, or one of the same floor. */
INLINE vec quotient_or_so(vec square, vec width, vec half_inverse, vec guard)
{
    const vec y = estimate(square), s = MUL(square, y);
    const vec at = FMA(MUL(s, half_inverse), FNMA(s, y, ALL(3.0f)), guard); /* the guard more than it should be */
    return __builtin_expect(is_beyond(at, ADD(guard, guard)), 1) ? at : quotient(square, width);
}
#else
INLINE vec quotient_or_so(vec square, vec width, vec half_inverse, vec guard)
{
    (void) half_inverse, (void) guard;
    return quotient(square, width);
}
#endif

#endif
