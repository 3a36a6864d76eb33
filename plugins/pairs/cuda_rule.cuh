/* The rule of pairs for engine/neighbours.cuh. Its operations are those of cpu_kernel.c and solver.c, in their order,
 * so the bits are those of `cpu`; langevin alone differs, because logarithms and cosines do. */
#ifndef PAIRS_CUDA_RULE_CUH
#define PAIRS_CUDA_RULE_CUH

#include "cpu_kernel.h"
#include "normal.h"

#define NEIGHBOURS_AXES            3
#define NEIGHBOURS_PARTICLE(field) field(double, position, 3) field(double, velocity, 3)
#define NEIGHBOURS_INPUTS(field)   field(double, mass, 1) field(int32_t, species, 1)
#define NEIGHBOURS_OUTPUTS(field)  field(double, force, 3)
#define NEIGHBOURS_SEEN(field)     field(uint32_t, species, 1)
#define NEIGHBOURS_SUM(sum)        sum(force, 3)
#define NEIGHBOURS_SKIN(rule)      ((rule)->skin)
#define NEIGHBOURS_BEGIN
#define NEIGHBOURS_CENTRAL force
#define NEIGHBOURS_OWN_CUDA
#define NEIGHBOURS_CLOSED
#define NEIGHBOURS_LANES 2 /* faster than 4: docs/lab/pairs.md */
#include <engine/neighbours.h>

struct rule {
    float reach, skin;
    float cutoff2[PAIRS_TYPES], sigma2[PAIRS_TYPES], strength[PAIRS_TYPES], kappa; /* as in struct pairs_job */
    const float *table;
    float table_begin, table_scale;
    double half_dt, dt, edge[3], unit;
    double keep, noise; /* langevin */
    int axes;
    uint64_t seed;
};

/* The rule for one potential and integrator. `ONE`: there is one species. */
template <int POTENTIAL, bool ONE, bool LANGEVIN> struct typed_rule : rule {
    static constexpr int potential = POTENTIAL;
    static constexpr bool one = ONE, langevin = LANGEVIN;
};

/* ---- Pairs ------------------------------------------------------------------------------------------------------- */

/* exp(-x) for x >= 0. */
static __host__ __device__ inline float exp_minus(float x)
{
    const float t = x * -1.44269504f, limited = t >= -126.0f ? t : 0;
    const float n = (limited + 12582912.0f) - 12582912.0f, f = (limited - n) * 0.693147181f;
    const float p =
        1 + f * (1 + f * (0.5f + f * (0.166666667f + f * (0.0416666667f + f * (0.00833333333f + f * 0.00138888889f)))));
    const int32_t power = (int32_t) (((uint32_t) (int32_t) n + 127) << 23);
    return t >= -126.0f ? p * engine_place_float((uint32_t) power) : 0;
}

static __host__ __device__ inline float look_up(const rule *rule, float square)
{
    const float most = PAIRS_TABLE_BINS - 0.0009765625f;
    const float place = (square - rule->table_begin) * rule->table_scale, low = place > 0 ? place : 0;
    const float at = low < most ? low : most;
    const int bin = (int) at;
    const float t = at - (float) bin;
    const float *const c = rule->table + 4 * bin;
    return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

/* 1 / x, correctly rounded, as the compiler computes it too, but without its test for x below 2^-124 or above 2^124.
 * Squares of distances are 0 or in this range, see pairs_cuda_probe; of 0, this makes no number. */
static __host__ __device__ inline float inverse_of(float x)
{
#ifdef __CUDA_ARCH__
    float near;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(near) : "f"(x));
    return __fmaf_rn(-__fmaf_rn(x, near, -1.0f), near, near);
#else
    return 1 / x;
#endif
}

/* Force divided by distance, in units. 0 from the cutoff on, and where two particles are at one place. */
template <int POTENTIAL>
static __host__ __device__ __forceinline__ float force_of(const rule *rule, uint32_t type, float square)
{
    const float sigma2 = rule->sigma2[type], strength = rule->strength[type];
    float force;
    if (POTENTIAL == PAIRS_YUKAWA) {
        const float r = sqrtf(square), inverse = 1 / r;
        force = strength * exp_minus(rule->kappa * r) * (inverse + rule->kappa) * (inverse * inverse);
    } else if (POTENTIAL == PAIRS_FROM_TABLE) {
        force = strength * look_up(rule, square / sigma2);
    } else {
        const float inverse = inverse_of(square), s2 = sigma2 * inverse, s6 = s2 * s2 * s2;
        force = strength * (s6 * (2 * s6 - 1)) * inverse;
    }
    return square < rule->cutoff2[type] && square > 0 ? force : 0;
}

template <int POTENTIAL, bool ONE, bool LANGEVIN>
static __host__ __device__ __forceinline__ float factor_of(const typed_rule<POTENTIAL, ONE, LANGEVIN> *rule,
                                                           const engine_seen *self, const engine_seen *other,
                                                           float square)
{
    return force_of<POTENTIAL>(rule, ONE ? 0 : pairs_type(self->species[0], other->species[0]), square);
}

/* ---- Particles --------------------------------------------------------------------------------------------------- */

static __device__ inline void kick(const rule *rule, engine_particle *self, const engine_sums *sums)
{
    const double h = rule->half_dt / self->mass[0];
    for (int c = 0; c < 3; c++) {
        self->force[c] = (double) sums->force[c] * rule->unit;
        self->velocity[c] += h * self->force[c];
    }
}

/* A coordinate after a way, in the box. A particle that would cross half the box gets no position, which ends the run.
 * Most particles stay in the box, and need no division for the same number. */
static __device__ inline double drifted(double edge, double from, double way)
{
    const double x = from + way;
    if (!(fabs(way) < edge / 2))
        return (double) NAN;
    return x > 0 && x < edge ? x : x - edge * floor(x / edge);
}

static __device__ inline void drift(const rule *rule, engine_particle *self, double h)
{
    for (int c = 0; c < 3; c++)
        self->position[c] = drifted(rule->edge[c], self->position[c], h * self->velocity[c]);
}

static __device__ inline double thermalised(const rule *rule, double v, double mass, double g)
{
    const double speed = rule->noise / sqrt(mass);
    return rule->keep * v + speed * g;
}

static __device__ inline void thermalise(const rule *rule, engine_particle *self, uint64_t id, uint64_t step)
{
    double g[4];
    pairs_normal_numbers(rule->seed, step, id, g);
    for (int c = 0; c < rule->axes; c++)
        self->velocity[c] = thermalised(rule, self->velocity[c], self->mass[0], g[c]);
}

template <int POTENTIAL, bool ONE, bool LANGEVIN>
static __device__ __forceinline__ void begin(const typed_rule<POTENTIAL, ONE, LANGEVIN> *rule, engine_particle *self,
                                             const engine_sums *sums, uint64_t id, uint64_t step)
{
    kick(rule, self, sums);
    if (LANGEVIN) {
        drift(rule, self, rule->half_dt);
        thermalise(rule, self, id, step);
    }
    drift(rule, self, LANGEVIN ? rule->half_dt : rule->dt);
}

template <int POTENTIAL, bool ONE, bool LANGEVIN>
static __device__ __forceinline__ void move(const typed_rule<POTENTIAL, ONE, LANGEVIN> *rule, engine_particle *self,
                                            const engine_sums *sums, uint64_t, uint64_t)
{
    kick(rule, self, sums);
}

#endif
