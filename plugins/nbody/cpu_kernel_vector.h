/* The vectors of one build of the kernel, of floats and of doubles, and the operations on them that are not plain
 * arithmetic. The main one is the inverse cube of a distance from its square s. With the hardware's estimate y of
 * 1 / sqrt(s) and h = 1 - s y^2,
 *
 *     s^(-3/2)  =  y^3 (1 - h)^(-3/2)  =  y^3 (1 + 3/2 h + 15/8 h^2 + 35/16 h^3 + 315/128 h^4 + ...)
 *
 *                       estimate   |h|       y^3 times                                    first term left out
 *     float, AVX-512    rsqrt14    2^-13     3/2   ( 2/3  + h)                            15/8 h^2     < 3e-8
 *     float, AVX2       rsqrtps    2^-10.4   15/8  ( 8/15 + 4/5 h + h^2)                  35/16 h^3    < 1e-9
 *     double, AVX-512   rsqrt14    2^-13     35/16 (16/35 + 24/35 h + 6/7 h^2 + h^3)      315/128 h^4  < 6e-16
 *     others             1 / (s sqrt(s))
 *
 * 3e-8 is half a unit in the last place of a float. In the first row 2/3 + h = 5/3 - s y^2 is one multiply-add.
 *
 * The factors in front of the brackets are applied once for each sum, by the caller: `scale`. A scale is the inverse of
 * the constant term as rounded to the type, so that h = 0 gives the right result to the last bit. */
#ifndef NBODY_CPU_KERNEL_VECTOR_H
#define NBODY_CPU_KERNEL_VECTOR_H

#include <common/vector.h>
#include <math.h>
#include <stdint.h>

#define BYTES_avx512 64
#define BYTES_avx2   32
#define BYTES_plain  16
#define VEC_BYTES    JOIN(BYTES_, KERNEL_ISA)

#if defined(__x86_64__)
#include <immintrin.h>
#endif

typedef float vec_float __attribute__((vector_size(VEC_BYTES), may_alias));
typedef double vec_double __attribute__((vector_size(VEC_BYTES), may_alias));
typedef int32_t mask_float __attribute__((vector_size(VEC_BYTES)));
typedef int64_t mask_double __attribute__((vector_size(VEC_BYTES)));

/* What fits into the registers. VECTORS: vectors of bodies i that a loop sums for at a time. BODIES: bodies j at a time
 * where each pair comes once; ABREAST of them are interleaved, since a multiply-add takes four cycles. */
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

/* The same number in every lane. */
#define SPLAT_float(a)  ((vec_float){0} + (float) (a))
#define SPLAT_double(a) ((vec_double){0} + (double) (a))

/* a in lanes where the condition holds, 0 in the others. */
#define WHERE_float(mask, a)  ((vec_float) ((mask_float) (mask) & (mask_float) (a)))
#define WHERE_double(mask, a) ((vec_double) ((mask_double) (mask) & (mask_double) (a)))

#if VEC_BYTES == 64

/* The estimate of 1 / sqrt(s). `zero`: s may be 0; the estimate is 0 there. */
INLINE vec_float rsqrt_estimate_float(vec_float s, int zero)
{
    if (zero)
        return (vec_float) _mm512_maskz_rsqrt14_ps(_mm512_cmp_ps_mask((__m512) s, _mm512_setzero_ps(), _CMP_GT_OQ),
                                                   (__m512) s);
    return (vec_float) _mm512_rsqrt14_ps((__m512) s);
}

INLINE vec_double rsqrt_estimate_double(vec_double s, int zero)
{
    if (zero)
        return (vec_double) _mm512_maskz_rsqrt14_pd(_mm512_cmp_pd_mask((__m512d) s, _mm512_setzero_pd(), _CMP_GT_OQ),
                                                    (__m512d) s);
    return (vec_double) _mm512_rsqrt14_pd((__m512d) s);
}

static const float five_thirds = 1.66666663f; /* 5/3 as a float */

#define SCALE_float (1 / ((double) five_thirds - 1))
INLINE vec_float cube_float(vec_float s, int zero)
{
    const vec_float y = rsqrt_estimate_float(s, zero), y2 = y * y;
    return y * y2 * FNMA_float(s, y2, SPLAT_float(five_thirds));
}

#define SCALE_double (35.0 / 16)
INLINE vec_double cube_double(vec_double s, int zero)
{
    const vec_double y = rsqrt_estimate_double(s, zero), y2 = y * y, h = FNMA_double(s, y2, SPLAT_double(1));
    const vec_double terms = FMA_double(h + 6.0 / 7, h, SPLAT_double(24.0 / 35));
    return y * y2 * FMA_double(terms, h, SPLAT_double(16.0 / 35));
}

/* 1 / sqrt(s) = y (1 - h)^(-1/2) = y (1 + 5/16 h (8/5 + 6/5 h + h^2) + ...); 0 where s is 0. */
INLINE vec_double root_double(vec_double s)
{
    const vec_double y = rsqrt_estimate_double(s, 1), h = FNMA_double(s, y * y, SPLAT_double(1));
    const vec_double terms = FMA_double(h + 6.0 / 5, h, SPLAT_double(8.0 / 5));
    return y * FMA_double(terms, h * (5.0 / 16), SPLAT_double(1));
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
INLINE vec_double cube_double(vec_double s, int zero)
{
    const vec_double cube = 1 / (s * SQRT_double(s));
    return zero ? WHERE_double(s > 0, cube) : cube;
}

INLINE vec_double root_double(vec_double s)
{
    return WHERE_double(s > 0, 1 / SQRT_double(s));
}

#if VEC_BYTES == 32

static const float eight_fifteenths = 0.533333361f; /* 8/15 as a float */

#define SCALE_float (1 / (double) eight_fifteenths)
INLINE vec_float cube_float(vec_float s, int zero)
{
    const vec_float estimate = (vec_float) _mm256_rsqrt_ps((__m256) s);
    const vec_float y = zero ? WHERE_float(s > 0, estimate) : estimate;
    const vec_float y2 = y * y, h = FNMA_float(s, y2, SPLAT_float(1));
    return y * y2 * FMA_float(h, h + 0.8f, SPLAT_float(eight_fifteenths));
}

#else

#define SCALE_float 1.0
INLINE vec_float cube_float(vec_float s, int zero)
{
    const vec_float cube = 1 / (s * SQRT_float(s));
    return zero ? WHERE_float(s > 0, cube) : cube;
}

#endif
#endif

/* The sum of all lanes in a fixed order: halves, quarters, and so on. */
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
