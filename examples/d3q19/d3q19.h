/* The rule: D3Q19 of Y. H. Qian, D. d'Humieres and P. Lallemand (Europhysics Letters 17, 1992, 479), with one time of
 * relaxation. A cell holds 19 distributions, one for each velocity. A step takes each of them from the neighbour from
 * which it comes, and relaxes them towards their equilibrium.
 *
 * f0 … f18 are the distributions minus their weights. So numbers near 0 are kept, and single precision is enough (M.
 * Lehmann et al., Physical Review E 106, 2022, 015308). With HALF, which makes the plugin d3q19-half, memory keeps 16
 * bits of each, and computations have single precision. Such a number is at most 2, and those above 2^-29 have 11 bits.
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

/* Number, number of the opposite velocity, velocity and weight. */
#define D3Q19(each) \
    each(0, 0, 0, 0, 0, 1.f / 3) each(1, 2, 1, 0, 0, 1.f / 18) each(2, 1, -1, 0, 0, 1.f / 18) \
        each(3, 4, 0, 1, 0, 1.f / 18) each(4, 3, 0, -1, 0, 1.f / 18) each(5, 6, 0, 0, 1, 1.f / 18) \
            each(6, 5, 0, 0, -1, 1.f / 18) each(7, 8, 1, 1, 0, 1.f / 36) each(8, 7, -1, -1, 0, 1.f / 36) \
                each(9, 10, 1, -1, 0, 1.f / 36) each(10, 9, -1, 1, 0, 1.f / 36) each(11, 12, 1, 0, 1, 1.f / 36) \
                    each(12, 11, -1, 0, -1, 1.f / 36) each(13, 14, 1, 0, -1, 1.f / 36) \
                        each(14, 13, -1, 0, 1, 1.f / 36) each(15, 16, 0, 1, 1, 1.f / 36) \
                            each(16, 15, 0, -1, -1, 1.f / 36) each(17, 18, 0, 1, -1, 1.f / 36) \
                                each(18, 17, 0, -1, 1, 1.f / 36)

#ifdef HALF
typedef uint16_t kept;
#define LOAD(number) (engine_float_of_half(number) * 0x1p-15f)
#define KEEP(number) engine_half_of_float((number) *0x1p15f)
#else
typedef float kept;
#define LOAD(number) (number)
#define KEEP(number) (number)
#endif

#define STENCIL_CELL(member) \
    member(kept, f0) member(kept, f1) member(kept, f2) member(kept, f3) member(kept, f4) member(kept, f5) \
        member(kept, f6) member(kept, f7) member(kept, f8) member(kept, f9) member(kept, f10) member(kept, f11) \
            member(kept, f12) member(kept, f13) member(kept, f14) member(kept, f15) member(kept, f16) \
                member(kept, f17) member(kept, f18)
#include <engine/stencil.h>

#include <engine/half.h>

/* What is conserved: the density, minus 1, and the momentum along each axis. */
struct moments {
    float density, x, y, z;
};

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

/* The equilibrium of a velocity (cx, cy, cz), minus its weight. */
ENGINE_INLINE float equilibrium(const struct moments *m, int cx, int cy, int cz, float weight)
{
    const float rho = 1 + m->density, ux = m->x / rho, uy = m->y / rho, uz = m->z / rho;
    const float along = 3 * ((float) cx * ux + (float) cy * uy + (float) cz * uz);
    const float square = 1.5f * (ux * ux + uy * uy + uz * uz);
    return weight * (m->density + rho * (along + 0.5f * along * along - square));
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    struct moments m = {0, 0, 0, 0};
#define PULL(i, o, cx, cy, cz, weight) \
    const float f##i = LOAD(engine_at(near, -(cx), -(cy), -(cz)).f##i); \
    m.density += f##i; \
    m.x += (float) (cx) *f##i; \
    m.y += (float) (cy) *f##i; \
    m.z += (float) (cz) *f##i;
    D3Q19(PULL)
#define RELAX(i, o, cx, cy, cz, weight) \
    cell->f##i = KEEP(f##i + rule->omega * (equilibrium(&m, cx, cy, cz, weight) - f##i));
    D3Q19(RELAX)
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    double density = 0, x = 0, y = 0, z = 0;
    (void) rule;
#define ADD(i, o, cx, cy, cz, weight) \
    const double f##i = (double) LOAD(cell->f##i); \
    density += f##i; \
    x += (cx) *f##i; \
    y += (cy) *f##i; \
    z += (cz) *f##i;
    D3Q19(ADD)
    sums[MASS] += density;
    sums[ENERGY] += (x * x + y * y + z * z) / (1 + density) / 2;
}

#endif
