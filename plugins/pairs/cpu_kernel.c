/* See cpu_kernel.h. */
#include "cpu_kernel.h"

#include <math.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define INLINE __attribute__((always_inline)) static inline

/* ---- Vectors: numbers of PAIRS_LANES particles ------------------------------------------------------------------- */

typedef float floats __attribute__((vector_size(4 * PAIRS_LANES)));
typedef int32_t integers __attribute__((vector_size(4 * PAIRS_LANES)));
typedef uint32_t words __attribute__((vector_size(4 * PAIRS_LANES)));

#if defined(__AVX512F__)
INLINE integers gather(const void *from, integers at)
{
    return (integers) _mm512_i32gather_epi32((__m512i) at, from, 4);
}

/* Places and species of the particles of a list. Which lane a particle gets does not matter to a sum. */
INLINE void gather_places(const struct pairs_place *at, const uint32_t *list, integers out[4])
{
    __m512i rows[4];
    for (int r = 0; r < 4; r++) {
        const uint32_t *four = list + 4 * r;
        __m512i row = _mm512_castsi128_si512(_mm_loadu_si128((const __m128i *) (const void *) (at + four[0])));
        row = _mm512_inserti32x4(row, _mm_loadu_si128((const __m128i *) (const void *) (at + four[1])), 1);
        row = _mm512_inserti32x4(row, _mm_loadu_si128((const __m128i *) (const void *) (at + four[2])), 2);
        rows[r] = _mm512_inserti32x4(row, _mm_loadu_si128((const __m128i *) (const void *) (at + four[3])), 3);
    }
    const __m512i xy0 = _mm512_unpacklo_epi32(rows[0], rows[1]), xy1 = _mm512_unpacklo_epi32(rows[2], rows[3]);
    const __m512i zs0 = _mm512_unpackhi_epi32(rows[0], rows[1]), zs1 = _mm512_unpackhi_epi32(rows[2], rows[3]);
    out[0] = (integers) _mm512_unpacklo_epi64(xy0, xy1);
    out[1] = (integers) _mm512_unpackhi_epi64(xy0, xy1);
    out[2] = (integers) _mm512_unpacklo_epi64(zs0, zs1);
    out[3] = (integers) _mm512_unpackhi_epi64(zs0, zs1);
}

/* To the nearest integer, the even one of two. */
INLINE integers to_integers(floats numbers)
{
    return (integers) _mm512_cvtps_epi32((__m512) numbers);
}

INLINE floats roots(floats numbers)
{
    return (floats) _mm512_sqrt_ps((__m512) numbers);
}
#elif defined(__AVX2__)
typedef union {
    floats numbers;
    integers integers;
    __m256 half[2];
    __m256i half_integers[2];
} halves;

INLINE integers gather(const void *from, integers at)
{
    halves both = {.integers = at};
    for (int h = 0; h < 2; h++)
        both.half_integers[h] = _mm256_i32gather_epi32((const int *) from, both.half_integers[h], 4);
    return both.integers;
}

INLINE void gather_places(const struct pairs_place *at, const uint32_t *list, integers out[4])
{
    halves found[4];
    for (int h = 0; h < 2; h++) {
        __m256i rows[4];
        for (int r = 0; r < 4; r++) {
            const uint32_t *two = list + 8 * h + 2 * r;
            rows[r] = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *) (const void *) (at + two[0])));
            rows[r] =
                _mm256_inserti128_si256(rows[r], _mm_loadu_si128((const __m128i *) (const void *) (at + two[1])), 1);
        }
        const __m256i xy0 = _mm256_unpacklo_epi32(rows[0], rows[1]), xy1 = _mm256_unpacklo_epi32(rows[2], rows[3]);
        const __m256i zs0 = _mm256_unpackhi_epi32(rows[0], rows[1]), zs1 = _mm256_unpackhi_epi32(rows[2], rows[3]);
        found[0].half_integers[h] = _mm256_unpacklo_epi64(xy0, xy1);
        found[1].half_integers[h] = _mm256_unpackhi_epi64(xy0, xy1);
        found[2].half_integers[h] = _mm256_unpacklo_epi64(zs0, zs1);
        found[3].half_integers[h] = _mm256_unpackhi_epi64(zs0, zs1);
    }
    for (int c = 0; c < 4; c++)
        out[c] = found[c].integers;
}

INLINE integers to_integers(floats numbers)
{
    halves both = {.numbers = numbers};
    for (int h = 0; h < 2; h++)
        both.half_integers[h] = _mm256_cvtps_epi32(both.half[h]);
    return both.integers;
}

INLINE floats roots(floats numbers)
{
    halves both = {.numbers = numbers};
    for (int h = 0; h < 2; h++)
        both.half[h] = _mm256_sqrt_ps(both.half[h]);
    return both.numbers;
}
#else
INLINE integers gather(const void *from, integers at)
{
    integers found;
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        found[lane] = ((const int32_t *) from)[at[lane]];
    return found;
}

INLINE void gather_places(const struct pairs_place *at, const uint32_t *list, integers out[4])
{
    for (int lane = 0; lane < PAIRS_LANES; lane++) {
        for (int c = 0; c < 3; c++)
            out[c][lane] = (int32_t) at[list[lane]].x[c];
        out[3][lane] = (int32_t) at[list[lane]].species;
    }
}

/* Numbers that do not fit become some integer: see sum_list. */
INLINE integers to_integers(floats numbers)
{
    integers rounded;
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        rounded[lane] = fabsf(numbers[lane]) < 0x1p30f ? (int32_t) lrintf(numbers[lane]) : 0;
    return rounded;
}

INLINE floats roots(floats numbers)
{
    for (int lane = 0; lane < PAIRS_LANES; lane++)
        numbers[lane] = sqrtf(numbers[lane]);
    return numbers;
}
#endif

INLINE floats all(float number)
{
    return number - (floats){0};
}

/* The distances along the axes. They wrap around as the box does, so the subtraction has no sign. */
INLINE void distances(const struct pairs_job *job, const uint32_t at[3], const integers places[3], floats d[3],
                      int skewed)
{
    floats units[3];
    for (int c = 0; c < 3; c++) {
        units[c] = __builtin_convertvector((integers) (at[c] - (words) places[c]), floats);
        d[c] = job->scale[c] * units[c];
    }
    if (skewed) {
        d[0] += job->tilt[0] * units[1] + job->tilt[1] * units[2];
        d[1] += job->tilt[2] * units[2];
    }
}

/* The numbers where the condition holds, else 0. */
INLINE floats only(integers condition, floats numbers)
{
    return (floats) (condition & (integers) numbers);
}

INLINE floats gather_floats(const float *from, integers at)
{
    return (floats) gather(from, at);
}

/* Particle i, and what is constant while it meets the others. */
struct centre {
    uint32_t x[3];
    const float *cutoff2, *sigma2, *strength; /* of its species; entry 0 is that of its own if there is one species */
};

INLINE struct centre centre_of(const struct pairs_job *job, uint32_t i)
{
    const struct pairs_place *at = job->at + i;
    const uint32_t row = pairs_type(at->species, 0);
    return (struct centre){{at->x[0], at->x[1], at->x[2]}, job->cutoff2 + row, job->sigma2 + row, job->strength + row};
}

/* ---- Force divided by distance, in units ------------------------------------------------------------------------- */

/* exp(-x) for x >= 0, by 2^n times a polynomial; 0 where the result would be below 2^-126. */
INLINE floats exp_minus(floats x)
{
    const floats t = x * -1.44269504f, limited = only(t >= -126.0f, t);
    const floats n = (limited + 12582912.0f) - 12582912.0f, f = (limited - n) * 0.693147181f;
    const floats p =
        1 + f * (1 + f * (0.5f + f * (0.166666667f + f * (0.0416666667f + f * (0.00833333333f + f * 0.00138888889f)))));
    const integers power = (__builtin_convertvector(n, integers) + 127) << 23;
    return only(t >= -126.0f, p * (floats) power);
}

INLINE floats look_up(const struct pairs_job *job, floats square)
{
    const float most = PAIRS_TABLE_BINS - 0.0009765625f;
    const floats place = (square - job->table_begin) * job->table_scale, low = only(place > 0, place);
    const floats at = only(low < most, low) + only(low >= most, all(most));
    const integers bin = __builtin_convertvector(at, integers);
    const floats t = at - __builtin_convertvector(bin, floats);
    const floats c0 = gather_floats(job->table, 4 * bin), c1 = gather_floats(job->table + 1, 4 * bin);
    const floats c2 = gather_floats(job->table + 2, 4 * bin), c3 = gather_floats(job->table + 3, 4 * bin);
    return c0 + t * (c1 + t * (c2 + t * c3));
}

/* 0 from the cutoff on, and where two particles are at one place. */
INLINE floats term(const struct pairs_job *job, int potential, floats cutoff2, floats sigma2, floats strength,
                   floats square)
{
    floats force;
    if (potential == PAIRS_YUKAWA) {
        const floats r = roots(square), inverse = 1 / r;
        force = strength * exp_minus(job->kappa * r) * (inverse + job->kappa) * (inverse * inverse);
    } else if (potential == PAIRS_FROM_TABLE) {
        force = strength * look_up(job, square / sigma2);
    } else {
        const floats inverse = 1 / square, s2 = sigma2 * inverse, s6 = s2 * s2 * s2;
        force = strength * (s6 * (2 * s6 - 1)) * inverse;
    }
    return only((square < cutoff2) & (square > 0), force);
}

/* ---- Lists ------------------------------------------------------------------------------------------------------- */

/* The terms of 16 particles and particle i. `potential`, `one`, whether there is one species, and `skewed` are constants
 * where speed matters. */
INLINE floats terms(const struct pairs_job *job, const struct centre *at, const uint32_t *list, floats d[3],
                    int potential, int one, int skewed)
{
    integers places[4];
    gather_places(job->at, list, places);
    distances(job, at->x, places, d, skewed);
    const floats square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    if (one)
        return term(job, potential, all(at->cutoff2[0]), all(at->sigma2[0]), all(at->strength[0]), square);
    return term(job, potential, gather_floats(at->cutoff2, places[3]), gather_floats(at->sigma2, places[3]),
                gather_floats(at->strength, places[3]), square);
}

/* The sum of the sizes of all terms, times the reach, bounds every sum of forces. If that is well below 2^31,
 * no integer overflows. */
INLINE int sum_list(const struct pairs_job *job, uint32_t i, const uint32_t *list, uint32_t length,
                    struct pairs_sum *sum, int potential, int one, int skewed)
{
    const struct centre at = centre_of(job, i);
    integers sums[3] = {{0}, {0}, {0}};
    floats sizes = {0};
    float size = 0;
    for (uint32_t k = 0; k < length; k += PAIRS_LANES) {
        floats d[3];
        const floats force = terms(job, &at, list + k, d, potential, one, skewed);
        sizes += (floats) ((integers) force & INT32_MAX);
        for (int c = 0; c < 3; c++)
            sums[c] += to_integers(force * d[c]);
    }
    *sum = (struct pairs_sum){{0, 0, 0}};
    for (uint32_t lane = 0; lane < PAIRS_LANES; lane++) {
        size += sizes[lane];
        for (int c = 0; c < 3; c++)
            sum->force[c] += sums[c][lane];
    }
    return size * job->reach < 0x1.fp30f;
}

static int force(const struct pairs_job *job, uint32_t i, const uint32_t *list, uint32_t length, struct pairs_sum *sum)
{
    if (job->skewed)
        return sum_list(job, i, list, length, sum, (int) job->potential, 0, 1);
    if (job->potential == PAIRS_YUKAWA)
        return job->species_count == 1 ? sum_list(job, i, list, length, sum, PAIRS_YUKAWA, 1, 0)
                                       : sum_list(job, i, list, length, sum, PAIRS_YUKAWA, 0, 0);
    if (job->potential == PAIRS_FROM_TABLE)
        return sum_list(job, i, list, length, sum, PAIRS_FROM_TABLE, 0, 0);
    return job->species_count == 1 ? sum_list(job, i, list, length, sum, PAIRS_LJ, 1, 0)
                                   : sum_list(job, i, list, length, sum, PAIRS_LJ, 0, 0);
}

/* ---- Ranges ------------------------------------------------------------------------------------------------------ */

/* A component of a force as an integer. A force that is no number is none, and a huge one is limited, so that sums of
 * hundreds do not overflow. */
INLINE int64_t to_integer(float force)
{
    const float most = 0x1p52f;
    return !(force == force) ? 0 : llrintf(force < -most ? -most : force > most ? most : force);
}

static void add(const struct pairs_job *job, uint32_t i, uint32_t begin, uint32_t end, struct pairs_sum *sum)
{
    const struct centre at = centre_of(job, i);
    for (; begin < end; begin += PAIRS_LANES) {
        uint32_t particles[PAIRS_LANES];
        floats d[3];
        for (uint32_t lane = 0; lane < PAIRS_LANES; lane++) /* the particle itself does not count */
            particles[lane] = begin + lane < end ? begin + lane : i;
        const floats force_of = terms(job, &at, particles, d, (int) job->potential, 0, (int) job->skewed);
        for (uint32_t lane = 0; lane < PAIRS_LANES; lane++)
            for (int c = 0; c < 3; c++)
                sum->force[c] += to_integer(force_of[lane] * d[c][lane]);
    }
}

static uint32_t search(const struct pairs_job *job, uint32_t i, uint32_t begin, uint32_t end, float square,
                       uint32_t *list, uint32_t length, uint32_t room)
{
    const uint32_t at[3] = {job->x[0][i], job->x[1][i], job->x[2][i]};
    for (uint32_t j = begin; j < end; j += PAIRS_LANES) {
        const uint32_t rest = end - j < PAIRS_LANES ? end - j : PAIRS_LANES;
        integers places[3];
        floats d[3];
        if (room < length + PAIRS_LANES)
            return UINT32_MAX;
        for (int c = 0; c < 3; c++) /* behind the last particle there is padding */
            memcpy(&places[c], job->x[c] + j, sizeof places[c]);
        distances(job, at, places, d, (int) job->skewed);
        const floats squares = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
#if defined(__AVX512F__)
        const uint32_t itself = i - j < PAIRS_LANES ? 1u << (i - j) : 0;
        const uint32_t within = _mm512_cmp_ps_mask((__m512) squares, _mm512_set1_ps(square), _CMP_LT_OQ) & ~itself &
                                (0xffffu >> (PAIRS_LANES - rest));
        const __m512i particles = _mm512_add_epi32(
            _mm512_set1_epi32((int) j), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
        _mm512_storeu_si512(list + length, _mm512_maskz_compress_epi32((__mmask16) within, particles));
        length += (uint32_t) __builtin_popcount(within);
#else
        float buffer[PAIRS_LANES];
        memcpy(buffer, &squares, sizeof buffer);
        for (uint32_t k = 0; k < rest; k++) {
            list[length] = j + k;
            length += (uint32_t) (buffer[k] < square) & (uint32_t) (j + k != i);
        }
#endif
    }
    return length;
}

#define NAME_(isa) pairs_kernel_##isa
#define NAME(isa)  NAME_(isa)

const struct pairs_kernel NAME(KERNEL_ISA) = {ISA_KERNEL, force, add, search};
