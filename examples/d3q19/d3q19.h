/* The rule: D3Q19 of Y. H. Qian, D. d'Humieres and P. Lallemand (Europhysics Letters 17, 1992, 479), with one time of
 * relaxation. A cell holds 19 distributions, one for each velocity. A step takes each of them from the neighbour from
 * which it comes, and relaxes them towards their equilibrium.
 *
 * f0 … f18 are the distributions minus their weights. So numbers near 0 are kept, and single precision is enough (M.
 * Lehmann et al., Physical Review E 106, 2022, 015308). With HALF, which makes the plugin d3q19-half, memory keeps 16
 * bits of each, times 2^15, and computations have single precision. Numbers from 2^-29 to 2 have 11 significant bits.
 * With WALLS, which makes the plugin d3q19-walls, the rule is that of walls.h. */
#include <stdint.h>

#define STENCIL_AXES  3
#define STENCIL_REACH 1
#define STENCIL_DIVISIBLE
#ifdef WALLS
#define STENCIL_SUMS           3
#define STENCIL_INPUTS(member) member(uint8_t, solid)
#define STENCIL_INPUTS_NEAR
#define STENCIL_OUTPUTS(member) \
    member(float, density) member(float, velocity_x) member(float, velocity_y) member(float, velocity_z)
#define STENCIL_SHOWS(rule) (rule)->pictures
#else
#define STENCIL_SUMS 2
#endif

/* Pairs of opposite velocities: their numbers, the first velocity, and the weight. That of f0 is 1 / 3. */
#define D3Q19(each) \
    each(1, 2, 1, 0, 0, 1.f / 18) each(3, 4, 0, 1, 0, 1.f / 18) each(5, 6, 0, 0, 1, 1.f / 18) \
        each(7, 8, 1, 1, 0, 1.f / 36) each(9, 10, 1, -1, 0, 1.f / 36) each(11, 12, 1, 0, 1, 1.f / 36) \
            each(13, 14, 1, 0, -1, 1.f / 36) each(15, 16, 0, 1, 1, 1.f / 36) each(17, 18, 0, 1, -1, 1.f / 36)

#ifdef HALF
typedef uint16_t kept;
#define LOAD(number) engine_float_of_half(number)
#define KEEP(number) engine_half_of_float(number)
#define ONE          0x1p15f
#else
typedef float kept;
#define LOAD(number) (number)
#define KEEP(number) (number)
#define ONE          1.f
#endif

#define STENCIL_CELL(member) \
    member(kept, f0) member(kept, f1) member(kept, f2) member(kept, f3) member(kept, f4) member(kept, f5) \
        member(kept, f6) member(kept, f7) member(kept, f8) member(kept, f9) member(kept, f10) member(kept, f11) \
            member(kept, f12) member(kept, f13) member(kept, f14) member(kept, f15) member(kept, f16) \
                member(kept, f17) member(kept, f18)
#include <engine/stencil.h>

#include <engine/half.h>

/* What is conserved: the density, minus 1, and the momentum along each axis, all times ONE. */
struct moments {
    float density, x, y, z;
};

/* x, y or z times a component of a velocity, -1, 0 or 1, and added. There are no products with 0. */
ENGINE_INLINE float along(int cx, int cy, int cz, float x, float y, float z)
{
    const float first = cx > 0 ? x : -x, second = cy > 0 ? y : -y, third = cz > 0 ? z : -z;
    return cx == 0 ? (cy == 0   ? third
                      : cz == 0 ? second
                                : second + third)
                   : (cy != 0   ? first + second
                      : cz != 0 ? first + third
                                : first);
}

/* The equilibria of two opposite velocities, minus their weight, are even + odd and even - odd. */
struct pair {
    float even, odd;
};

ENGINE_INLINE struct pair equilibrium(const struct moments *m, int cx, int cy, int cz, float weight)
{
    const float rho = ONE + m->density, inverse = 1 / rho;
    const float square = 1.5f * inverse * (m->x * m->x + m->y * m->y + m->z * m->z);
    const float both = 3 * along(cx, cy, cz, m->x, m->y, m->z);
    const struct pair pair = {weight * (m->density - square + 0.5f * inverse * (both * both)), weight * both};
    return pair;
}

#ifdef WALLS
#include "walls.h"
#else

enum { F };                /* the field */
enum { VISCOSITY, SPEED }; /* the parameters */
enum { MASS, ENERGY };     /* the metrics */

struct rule {
    float omega; /* the share of the way to the equilibrium that a step takes */
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {(float) (1 / (3 * engine_param_real(plan, VISCOSITY) + 0.5))};
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    struct moments m = {LOAD(cell->f0), 0, 0, 0};
    const float f0 = m.density;
#define PULL(i, o, cx, cy, cz, weight) \
    const float f##i = LOAD(engine_at(near, -(cx), -(cy), -(cz)).f##i), f##o = LOAD(engine_at(near, cx, cy, cz).f##o); \
    m.density += f##i + f##o;
    D3Q19(PULL)
    m.x = (f1 - f2) + ((f7 - f8) + (f9 - f10)) + ((f11 - f12) + (f13 - f14));
    m.y = (f3 - f4) + ((f7 - f8) - (f9 - f10)) + ((f15 - f16) + (f17 - f18));
    m.z = (f5 - f6) + ((f11 - f12) - (f13 - f14)) + ((f15 - f16) - (f17 - f18));
    cell->f0 = KEEP(f0 + rule->omega * (equilibrium(&m, 0, 0, 0, 1.f / 3).even - f0));
#define RELAX(i, o, cx, cy, cz, weight) \
    const struct pair pair##i = equilibrium(&m, cx, cy, cz, weight); \
    cell->f##i = KEEP(f##i + rule->omega * (pair##i.even + pair##i.odd - f##i)); \
    cell->f##o = KEEP(f##o + rule->omega * (pair##i.even - pair##i.odd - f##o));
    D3Q19(RELAX)
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    double density = (double) LOAD(cell->f0), x = 0, y = 0, z = 0;
    (void) rule;
#define ADD(i, o, cx, cy, cz, weight) \
    const double f##i = (double) LOAD(cell->f##i), f##o = (double) LOAD(cell->f##o); \
    density += f##i + f##o; \
    x += (cx) * (f##i - f##o); \
    y += (cy) * (f##i - f##o); \
    z += (cz) * (f##i - f##o);
    D3Q19(ADD)
    sums[MASS] += density / (double) ONE;
    sums[ENERGY] += (x * x + y * y + z * z) / ((double) ONE + density) / 2 / (double) ONE;
}

#endif
