/* The rule: D2Q9 of Y. H. Qian, D. d'Humieres and P. Lallemand (Europhysics Letters 17, 1992, 479), with two times of
 * relaxation (I. Ginzburg, F. Verhaeghe and D. d'Humieres, Communications in Computational Physics 3, 2008, 427), walls,
 * obstacles, an inflow and an outflow. A cell holds 9 distributions, one for each velocity. A step takes each of them
 * from the neighbour from which it comes, and relaxes them towards their equilibrium.
 *
 * f0 … f8 are the distributions minus their weights, so numbers near 0 are kept. A solid cell holds no fluid: its f0 is
 * NO_FLUID, and f1 … f8 are what the step brought there from fluid cells. All of it turns back, so twice its momentum is
 * the force on the obstacle. */
#define STENCIL_AXES  2
#define STENCIL_REACH 1
#define STENCIL_DIVISIBLE
#define STENCIL_SUMS 3
#define STENCIL_CELL(member) \
    member(float, f0) member(float, f1) member(float, f2) member(float, f3) member(float, f4) member(float, f5) \
        member(float, f6) member(float, f7) member(float, f8)
#define STENCIL_INPUTS(member) member(uint8_t, solid)
#define STENCIL_INPUTS_NEAR
#define STENCIL_OUTPUTS(member) \
    member(float, density) member(float, velocity_x) member(float, velocity_y) member(float, vorticity)
#define STENCIL_SHOWS(rule) (rule)->pictures
#include <engine/stencil.h>

/* Pairs of opposite velocities: their numbers, the first velocity, and the weight. The weight of f0 is 4 / 9. */
#define PAIRS(each) \
    each(1, 2, 1, 0, 1.f / 9) each(3, 4, 0, 1, 1.f / 9) each(5, 6, 1, 1, 1.f / 36) each(7, 8, 1, -1, 1.f / 36)

enum { F, SOLID, DENSITY, VELOCITY, VORTICITY };                            /* the fields */
enum { VISCOSITY, SPEED, FORCE, INFLOW, WALLS, MAGIC, DIAMETER, PICTURES }; /* the parameters */
enum { MASS, DRAG, LIFT };                                                  /* the metrics */

#define NO_FLUID (-1.f)

struct rule {
    float even, odd;  /* the shares of the way to the equilibrium that a step takes: of sums and differences of pairs */
    float half, push; /* half of the force, and what it adds to a distribution */
    float bend, height; /* of the parabola that flows in */
    int last_x, last_y; /* the cells at the ends and at the sides; -1: these are joined */
    int pictures;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const uint64_t *extent = plan->part.whole; /* a part of a divided run has the same ends and sides */
    const double lag = 3 * engine_param_real(plan, VISCOSITY), force = engine_param_real(plan, FORCE);
    const double odd = 1 / (engine_param_real(plan, MAGIC) / lag + 0.5), height = (double) extent[1];
    struct rule rule;
    rule.even = (float) (1 / (lag + 0.5));
    rule.odd = (float) odd;
    rule.half = (float) (force / 2);
    rule.push = (float) (3 * force * (1 - odd / 2));
    rule.bend = (float) (4 * engine_param_real(plan, SPEED) / (height * height));
    rule.height = (float) height;
    rule.last_x = engine_param_integer(plan, INFLOW) ? (int) extent[0] - 1 : -1;
    rule.last_y = engine_param_integer(plan, WALLS) ? (int) extent[1] - 1 : -1;
    rule.pictures = (int) engine_param_integer(plan, PICTURES);
    return rule;
}

/* What is conserved: the density, minus 1, and the momentum along each axis. */
struct moments {
    float density, x, y;
};

ENGINE_INLINE struct moments moments_of(const struct engine_cell *cell)
{
    struct moments m = {cell->f0, 0, 0};
#define ADD(i, o, cx, cy, weight) \
    m.density += cell->f##i + cell->f##o; \
    m.x += (float) (cx) * (cell->f##i - cell->f##o); \
    m.y += (float) (cy) * (cell->f##i - cell->f##o);
    PAIRS(ADD)
    return m;
}

/* The speed of the inflow at a height in cells. */
ENGINE_INLINE float inflow(const struct rule *rule, float y)
{
    return rule->bend * y * (rule->height - y);
}

/* What arrives with the velocity (cx, cy): `there`, from the neighbour where it comes from. If that is solid or a wall,
 * `back` arrives, which left in the opposite direction one step ago: the surface is half-way between the cells. The
 * inflow adds its momentum to it (A. J. C. Ladd, Journal of Fluid Mechanics 271, 1994, 285), and the outflow holds the
 * density at 1. */
ENGINE_INLINE float arriving(const struct rule *rule, const struct engine_near *near, const struct moments *m, int cx,
                             int cy, float weight, int solid, float there, float back)
{
    const int x = (int) near->x, y = (int) near->y;
    const int wall = cy > 0 ? (y == 0) & (rule->last_y >= 0) : cy < 0 ? y == rule->last_y : 0;
    const int begin = cx > 0 ? (x == 0) & (rule->last_x >= 0) : 0, end = cx < 0 ? x == rule->last_x : 0;
    const float along = 3 * ((float) cx * m->x + (float) cy * m->y);
    const float square = 1.5f * (m->x * m->x + m->y * m->y);
    const float in = back + 6 * weight * inflow(rule, (float) y + 0.5f - 0.5f * (float) cy);
    const float out = 2 * weight * (0.5f * along * along - square) - back;
    float arrives = there;
    if (end)
        arrives = out;
    if (begin)
        arrives = in;
    if (wall | solid)
        arrives = back;
    return arrives;
}

/* Relaxes a pair of opposite velocities. */
ENGINE_INLINE void relax(const struct rule *rule, const struct moments *m, int cx, int cy, float weight, float *a,
                         float *b)
{
    const float rho = 1 + m->density, ux = m->x / rho, uy = m->y / rho;
    const float along = 3 * ((float) cx * ux + (float) cy * uy), square = 1.5f * (ux * ux + uy * uy);
    const float even = weight * (m->density + rho * (0.5f * along * along - square)), odd = weight * rho * along;
    const float both = rule->even * (even - 0.5f * (*a + *b));
    const float first = rule->odd * (odd - 0.5f * (*a - *b)) + weight * rule->push * (float) cx;
    *a += both + first;
    *b += both - first;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const struct engine_cell before = *cell;
    const struct moments old = moments_of(cell);
    const int here = near->input.solid;
#define PULL(i, o, cx, cy, weight) \
    cell->f##i = arriving(rule, near, &old, cx, cy, weight, engine_input_at(near, -(cx), -(cy)).solid, \
                          engine_at(near, -(cx), -(cy)).f##i, here ? 0 : before.f##o); \
    cell->f##o = arriving(rule, near, &old, -(cx), -(cy), weight, engine_input_at(near, cx, cy).solid, \
                          engine_at(near, cx, cy).f##o, here ? 0 : before.f##i);
    PAIRS(PULL)
    const struct engine_cell arrived = *cell;
    struct moments m = moments_of(cell);
    m.x += rule->half;
    const float rho = 1 + m.density;
    const float rest = 4.f / 9 * (m.density - 1.5f * (m.x * m.x + m.y * m.y) / rho);
    cell->f0 = here ? NO_FLUID : cell->f0 + rule->even * (rest - cell->f0);
#define RELAX(i, o, cx, cy, weight) \
    relax(rule, &m, cx, cy, weight, &cell->f##i, &cell->f##o); \
    cell->f##i = here ? arrived.f##i : cell->f##i; \
    cell->f##o = here ? arrived.f##o : cell->f##o;
    PAIRS(RELAX)
}

/* The sums are those of the fluid, but for the force on the obstacles. */
ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    double density = (double) cell->f0, x = 0, y = 0;
    const int fluid = cell->f0 > NO_FLUID;
    (void) rule;
#define SUM(i, o, cx, cy, weight) \
    density += (double) cell->f##i + (double) cell->f##o; \
    x += (cx) * ((double) cell->f##i - (double) cell->f##o); \
    y += (cy) * ((double) cell->f##i - (double) cell->f##o);
    PAIRS(SUM)
    sums[MASS] += fluid ? density : 0;
    sums[DRAG] += fluid ? 0 : 2 * x;
    sums[LIFT] += fluid ? 0 : 2 * y;
}

/* The velocity of a neighbour before the step. Solid cells and walls have the opposite of the cell's own: it is 0 half-way
 * there. Beyond the ends, the velocity is the cell's own. */
ENGINE_INLINE struct moments beside(const struct rule *rule, const struct engine_near *near, int dx, int dy, int solid,
                                    const struct engine_cell *there)
{
    const int x = (int) near->x, y = (int) near->y;
    const int wall = solid | (dy < 0 ? (y == 0) & (rule->last_y >= 0) : dy > 0 ? y == rule->last_y : 0);
    const int end = dx < 0 ? (x == 0) & (rule->last_x >= 0) : dx > 0 ? x == rule->last_x : 0;
    const struct moments own = moments_of(&engine_at(near, 0, 0)), other = moments_of(there);
    const float rho = 1 + (wall | end ? own.density : other.density);
    const float px = wall | end ? own.x : other.x, py = wall | end ? own.y : other.y, sign = wall ? -1 : 1;
    const struct moments velocity = {0, sign * (px - rule->half) / rho, sign * py / rho};
    return velocity;
}

/* The vorticity is that before the step. */
ENGINE_INLINE void show(const struct rule *rule, const struct engine_near *near, const struct engine_cell *cell,
                        struct engine_shown *shown)
{
    const struct moments m = moments_of(cell);
    const int solid = near->input.solid;
    const float rho = 1 + m.density;
#define BESIDE(dx, dy) beside(rule, near, dx, dy, engine_input_at(near, dx, dy).solid, &engine_at(near, dx, dy))
    const float along_x = BESIDE(1, 0).y - BESIDE(-1, 0).y, along_y = BESIDE(0, 1).x - BESIDE(0, -1).x;
    shown->density = solid ? 0 : rho;
    shown->velocity_x = solid ? 0 : (m.x - rule->half) / rho;
    shown->velocity_y = solid ? 0 : m.y / rho;
    shown->vorticity = solid ? 0 : 0.5f * (along_x - along_y);
}
