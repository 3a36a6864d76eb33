/* See cpu_kernel.h. The compiler vectorises the loops over lists and ranges: -O3 -fno-math-errno. */
#include "cpu_kernel.h"

#include <math.h>
#include <string.h>

#define INLINE __attribute__((always_inline)) static inline

/* Particle i, and what is constant while it meets the others. */
struct centre {
    uint32_t x, y, z;
    const float *cutoff2, *sigma2, *strength; /* of its species; entry 0 is that of its own if there is one species */
};

INLINE struct centre centre_of(const struct pairs_job *job, uint32_t i)
{
    const uint32_t row = pairs_type(job->species[i], 0);
    return (struct centre){job->x[0][i],           job->x[1][i],          job->x[2][i],
                           job->cutoff2 + row, job->sigma2 + row, job->strength + row};
}

/* ---- Force divided by distance, in units ------------------------------------------------------------------------------------ */

/* exp(-x) for x >= 0, by 2^n times a polynomial; 0 where the result would be below 2^-126. */
INLINE float exp_minus(float x)
{
    const float t = x * -1.44269504f, limited = t < -126.0f ? -126.0f : t, magic = 12582912.0f;
    const float n = (limited + magic) - magic, f = (limited - n) * 0.693147181f;
    const float p = 1 + f * (1 + f * (0.5f + f * (0.166666667f + f * (0.0416666667f + f * (0.00833333333f + f * 0.00138888889f)))));
    const int32_t bits = ((int32_t) n + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return t < -126.0f ? 0 : p * power;
}

INLINE float look_up(const struct pairs_job *job, float square)
{
    const float place = (square - job->table_begin) * job->table_scale, low = place > 0 ? place : 0;
    const float most = PAIRS_TABLE_BINS - 0.0009765625f, at = low < most ? low : most;
    const int32_t bin = (int32_t) at;
    const float t = at - (float) bin, *c = job->table + 4 * bin;
    return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

/* 0 from the cutoff on, and where two particles are at one place. */
INLINE float term(const struct pairs_job *job, int potential, float cutoff2, float sigma2, float strength, float square)
{
    float force;
    if (potential == PAIRS_YUKAWA) {
        const float r = sqrtf(square), inverse = 1 / r;
        force = strength * exp_minus(job->kappa * r) * (inverse + job->kappa) * (inverse * inverse);
    } else if (potential == PAIRS_FROM_TABLE) {
        force = strength * look_up(job, square / sigma2);
    } else {
        const float inverse = 1 / square, s2 = sigma2 * inverse, s6 = s2 * s2 * s2;
        force = strength * (s6 * (2 * s6 - 1)) * inverse;
    }
    return square < cutoff2 && square > 0 ? force : 0;
}

/* ---- Lists -------------------------------------------------------------------------------------------------------------------- */

/* `potential` and `one`, whether there is one species, are constants. The sum of the sizes of all terms, times the reach, bounds
 * every sum of forces: so no integer overflows if it is below 2^30. */
INLINE int sum_list(const struct pairs_job *job, uint32_t i, const uint32_t *list, uint32_t length, struct pairs_sum *sum,
                    int potential, int one)
{
    const struct centre at = centre_of(job, i);
    const uint32_t *x = job->x[0], *y = job->x[1], *z = job->x[2], *species = job->species;
    const float scale_x = job->scale[0], scale_y = job->scale[1], scale_z = job->scale[2];
    const float cutoff2 = at.cutoff2[0], sigma2 = at.sigma2[0], strength = at.strength[0];
    int32_t sum_x[PAIRS_LANES] = {0}, sum_y[PAIRS_LANES] = {0}, sum_z[PAIRS_LANES] = {0};
    float sizes[PAIRS_LANES] = {0}, size = 0;
    for (uint32_t k = 0; k < length; k += PAIRS_LANES)
        for (uint32_t lane = 0; lane < PAIRS_LANES; lane++) {
            const uint32_t j = list[k + lane], other = one ? 0 : species[j];
            const float dx = scale_x * (float) (int32_t) (at.x - x[j]), dy = scale_y * (float) (int32_t) (at.y - y[j]);
            const float dz = scale_z * (float) (int32_t) (at.z - z[j]), square = dx * dx + dy * dy + dz * dz;
            const float force = term(job, potential, one ? cutoff2 : at.cutoff2[other], one ? sigma2 : at.sigma2[other],
                                     one ? strength : at.strength[other], square);
            sizes[lane] += fabsf(force);
            sum_x[lane] += __builtin_irintf(force * dx);
            sum_y[lane] += __builtin_irintf(force * dy);
            sum_z[lane] += __builtin_irintf(force * dz);
        }
    *sum = (struct pairs_sum){{0, 0, 0}};
    for (uint32_t lane = 0; lane < PAIRS_LANES; lane++) {
        size += sizes[lane];
        sum->force[0] += sum_x[lane];
        sum->force[1] += sum_y[lane];
        sum->force[2] += sum_z[lane];
    }
    return size * job->reach < 0x1p30f;
}

static int force(const struct pairs_job *job, uint32_t i, const uint32_t *list, uint32_t length, struct pairs_sum *sum)
{
    if (job->potential == PAIRS_YUKAWA)
        return job->species_count == 1 ? sum_list(job, i, list, length, sum, PAIRS_YUKAWA, 1)
                                       : sum_list(job, i, list, length, sum, PAIRS_YUKAWA, 0);
    if (job->potential == PAIRS_FROM_TABLE)
        return sum_list(job, i, list, length, sum, PAIRS_FROM_TABLE, 0);
    return job->species_count == 1 ? sum_list(job, i, list, length, sum, PAIRS_LJ, 1)
                                   : sum_list(job, i, list, length, sum, PAIRS_LJ, 0);
}

/* ---- Ranges --------------------------------------------------------------------------------------------------------------------- */

/* A component of a force as an integer. A force that is no number is none, and a huge one stays so small that sums of many
 * do not overflow. */
INLINE int64_t to_integer(float force)
{
    const float most = 0x1p40f;
    return !(force == force) ? 0 : llrintf(force < -most ? -most : force > most ? most : force);
}

static void add(const struct pairs_job *job, uint32_t i, uint32_t begin, uint32_t end, struct pairs_sum *sum)
{
    const struct centre at = centre_of(job, i);
    for (uint32_t j = begin; j < end; j++) {
        const float dx = job->scale[0] * (float) (int32_t) (at.x - job->x[0][j]);
        const float dy = job->scale[1] * (float) (int32_t) (at.y - job->x[1][j]);
        const float dz = job->scale[2] * (float) (int32_t) (at.z - job->x[2][j]), square = dx * dx + dy * dy + dz * dz;
        const uint32_t other = job->species[j];
        const float all = term(job, (int) job->potential, at.cutoff2[other], at.sigma2[other], at.strength[other], square);
        sum->force[0] += to_integer(all * dx);
        sum->force[1] += to_integer(all * dy);
        sum->force[2] += to_integer(all * dz);
    }
}

static uint32_t search(const struct pairs_job *job, uint32_t i, uint32_t begin, uint32_t end, float square, uint32_t *list,
                       uint32_t length, uint32_t room)
{
    enum { PIECE = 256 };
    const struct centre at = centre_of(job, i);
    float squares[PIECE];
    for (; begin < end; begin += PIECE) {
        const uint32_t count = end - begin < PIECE ? end - begin : PIECE;
        const uint32_t *x = job->x[0] + begin, *y = job->x[1] + begin, *z = job->x[2] + begin;
        if (room < count)
            return UINT32_MAX;
        for (uint32_t k = 0; k < count; k++) {
            const float dx = job->scale[0] * (float) (int32_t) (at.x - x[k]);
            const float dy = job->scale[1] * (float) (int32_t) (at.y - y[k]);
            const float dz = job->scale[2] * (float) (int32_t) (at.z - z[k]);
            squares[k] = dx * dx + dy * dy + dz * dz;
        }
        const uint32_t before = length;
        for (uint32_t k = 0; k < count; k++) {
            list[length] = begin + k;
            length += (uint32_t) (squares[k] < square) & (uint32_t) (begin + k != i);
        }
        room -= length - before;
    }
    return length;
}

#define NAME_(isa) pairs_kernel_##isa
#define NAME(isa)  NAME_(isa)

const struct pairs_kernel NAME(PAIRS_ISA) = {ISA_KERNEL(PAIRS_ISA), force, add, search};
