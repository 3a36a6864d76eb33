/*
 * The vectors that a build of the kernel works on, of floats and of doubles, and the few operations on them that are
 * not plain arithmetic. The heart is the inverse cube of a distance, from its square s:
 *
 *   float, AVX-512    y = rsqrt14(s) and h = 1 - s y^2, at most 2^-13:  s^(-3/2) = y^3 (1 + 3/2 h + O(2 h^2)); the
 * error of 3e-8 is that of a rounding, and one multiply-add gives 2/3 + h = 5/3 - s y^2 float, AVX2       rsqrtps has
 * 12 bits: one more term, 15/8 (8/15 + 4/5 h + h^2) double, AVX-512   rsqrt14 and three terms: 35/16 (16/35 + 24/35 h +
 * 6/7 h^2 + h^3), error below 6e-16 others            1 / (s sqrt(s))
 *
 * The factors before the brackets are left to the caller, who applies them once a sum: `scale`. They are the inverse of
 * the constant term as it is rounded, so that h = 0 is right to the last bit.
 */
#ifndef NBODY_CPU_KERNEL_VECTOR_H
#define NBODY_CPU_KERNEL_VECTOR_H

#include <math.h>
#include <stdint.h>

#define BYTES_avx512 64
#define BYTES_avx2   32
#define BYTES_plain  16
#define JOIN_(a, b)  a##b
#define JOIN(a, b)   JOIN_(a, b)
#define VEC_BYTES    JOIN(BYTES_, NBODY_ISA)
#define INLINE       static inline __attribute__((always_inline))

/* As a whole, so that arrays with an index of a loop are registers. */
#ifdef __clang__
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef float vec_float __attribute__((vector_size(VEC_BYTES), may_alias));
typedef double vec_double __attribute__((vector_size(VEC_BYTES), may_alias));
typedef int32_t mask_float __attribute__((vector_size(VEC_BYTES)));
typedef int64_t mask_double __attribute__((vector_size(VEC_BYTES)));

/* What fits in the registers: vectors of bodies that are summed for at a time; single bodies when each pair comes once,
 * and how many of them are worked on side by side, since a multiply-add takes four cycles. */
enum { VECTORS = 4, BODIES = VEC_BYTES == 64 ? 4 : 2, ABREAST = 2 };

#if VEC_BYTES == 64

#define FMA_float(a, b, c)   ((vec_float) _mm512_fmadd_ps((__m512) (a), (__m512) (b), (__m512) (c)))
#define FNMA_float(a, b, c)  ((vec_float) _mm512_fnmadd_ps((__m512) (a), (__m512) (b), (__m512) (c)))
#define FMA_double(a, b, c)  ((vec_double) _mm512_fmadd_pd((__m512d) (a), (__m512d) (b), (__m512d) (c)))
#define FNMA_double(a, b, c) ((vec_double) _mm512_fnmadd_pd((__m512d) (a), (__m512d) (b), (__m512d) (c)))

#elif VEC_BYTES == 32

#define FMA_float(a, b, c)   ((vec_float) _mm256_fmadd_ps((__m256) (a), (__m256) (b), (__m256) (c)))
#define FNMA_float(a, b, c)  ((vec_float) _mm256_fnmadd_ps((__m256) (a), (__m256) (b), (__m256) (c)))
#define FMA_double(a, b, c)  ((vec_double) _mm256_fmadd_pd((__m256d) (a), (__m256d) (b), (__m256d) (c)))
#define FNMA_double(a, b, c) ((vec_double) _mm256_fnmadd_pd((__m256d) (a), (__m256d) (b), (__m256d) (c)))

#else

#define FMA_float(a, b, c)   ((a) * (b) + (c))
#define FNMA_float(a, b, c)  ((c) - (a) * (b))
#define FMA_double(a, b, c)  ((a) * (b) + (c))
#define FNMA_double(a, b, c) ((c) - (a) * (b))

#endif

/* Every lane the same. */
#define ALL_float(a)  ((vec_float){0} + (float) (a))
#define ALL_double(a) ((vec_double){0} + (double) (a))

/* Lanes where a condition holds, else 0. */
#define WHERE_float(mask, a)  ((vec_float) ((mask_float) (mask) & (mask_float) (a)))
#define WHERE_double(mask, a) ((vec_double) ((mask_double) (mask) & (mask_double) (a)))

#if VEC_BYTES == 64

/* 1 / sqrt(s), nearly; 0 where s is 0, if `open` says that this comes. */
INLINE vec_float nearly_float(vec_float s, int open)
{
    if (open)
        return (vec_float) _mm512_maskz_rsqrt14_ps(_mm512_cmp_ps_mask((__m512) s, _mm512_setzero_ps(), _CMP_GT_OQ),
                                                   (__m512) s);
    return (vec_float) _mm512_rsqrt14_ps((__m512) s);
}

INLINE vec_double nearly_double(vec_double s, int open)
{
    if (open)
        return (vec_double) _mm512_maskz_rsqrt14_pd(_mm512_cmp_pd_mask((__m512d) s, _mm512_setzero_pd(), _CMP_GT_OQ),
                                                    (__m512d) s);
    return (vec_double) _mm512_rsqrt14_pd((__m512d) s);
}

static const float five_thirds = 1.66666663f; /* a float */

#define SCALE_float (1 / ((double) five_thirds - 1))
INLINE vec_float cube_float(vec_float s, int open)
{
    const vec_float y = nearly_float(s, open), y2 = y * y;
    return y * y2 * FNMA_float(s, y2, ALL_float(five_thirds));
}

#define SCALE_double (35.0 / 16)
INLINE vec_double cube_double(vec_double s, int open)
{
    const vec_double y = nearly_double(s, open), y2 = y * y, h = FNMA_double(s, y2, ALL_double(1));
    const vec_double terms = FMA_double(h + 6.0 / 7, h, ALL_double(24.0 / 35));
    return y * y2 * FMA_double(terms, h, ALL_double(16.0 / 35));
}

/* 1 / sqrt(s): 5/16 (16/5 + 8/5 h + 6/5 h^2 + h^3). */
INLINE vec_double root_double(vec_double s)
{
    const vec_double y = nearly_double(s, 1), h = FNMA_double(s, y * y, ALL_double(1));
    const vec_double terms = FMA_double(h + 6.0 / 5, h, ALL_double(8.0 / 5));
    return y * FMA_double(terms, h * (5.0 / 16), ALL_double(1));
}

#else

#if VEC_BYTES == 32
#define SQRT_float(s)  ((vec_float) _mm256_sqrt_ps((__m256) (s)))
#define SQRT_double(s) ((vec_double) _mm256_sqrt_pd((__m256d) (s)))
#elif defined(__x86_64__)
#define SQRT_float(s)  ((vec_float) _mm_sqrt_ps((__m128) (s)))
#define SQRT_double(s) ((vec_double) _mm_sqrt_pd((__m128d) (s)))
#else
#define SQRT_float(s)  ((vec_float){sqrtf((s)[0]), sqrtf((s)[1]), sqrtf((s)[2]), sqrtf((s)[3])})
#define SQRT_double(s) ((vec_double){sqrt((s)[0]), sqrt((s)[1])})
#endif

#define SCALE_double 1.0
INLINE vec_double cube_double(vec_double s, int open)
{
    const vec_double cube = 1 / (s * SQRT_double(s));
    return open ? WHERE_double(s > 0, cube) : cube;
}

INLINE vec_double root_double(vec_double s)
{
    return WHERE_double(s > 0, 1 / SQRT_double(s));
}

#if VEC_BYTES == 32

static const float eight_fifteenths = 0.533333361f; /* a float */

#define SCALE_float (1 / (double) eight_fifteenths)
INLINE vec_float cube_float(vec_float s, int open)
{
    const vec_float nearly = (vec_float) _mm256_rsqrt_ps((__m256) s);
    const vec_float y = open ? WHERE_float(s > 0, nearly) : nearly;
    const vec_float y2 = y * y, h = FNMA_float(s, y2, ALL_float(1));
    return y * y2 * FMA_float(h, h + 0.8f, ALL_float(eight_fifteenths));
}

#else

#define SCALE_float 1.0
INLINE vec_float cube_float(vec_float s, int open)
{
    const vec_float cube = 1 / (s * SQRT_float(s));
    return open ? WHERE_float(s > 0, cube) : cube;
}

#endif
#endif

/* The sum of all lanes, in one fixed order: halves, quarters, … */
#if VEC_BYTES == 64
#define SUM_float(v)  _mm512_reduce_add_ps((__m512) (v))
#define SUM_double(v) _mm512_reduce_add_pd((__m512d) (v))
#elif VEC_BYTES == 32
INLINE float SUM_float(vec_float v)
{
    v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
    v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
    return v[0] + v[1];
}

INLINE double SUM_double(vec_double v)
{
    v += __builtin_shufflevector(v, v, 2, 3, 0, 1);
    return v[0] + v[1];
}
#else
#define SUM_float(v)  (((v)[0] + (v)[2]) + ((v)[1] + (v)[3]))
#define SUM_double(v) ((v)[0] + (v)[1])
#endif

#endif
