/* The rule of d3q19-walls: obstacles, an inflow and an outflow, and two times of relaxation, as in examples/d2q9. A solid
 * cell holds no fluid: its f0 is NO_FLUID, and f1 … f18 are what the step brought there from fluid cells. All of it
 * turns back, so twice its momentum is the force on the obstacle. */
enum { F, SOLID, DENSITY, VELOCITY };                                /* the fields */
enum { VISCOSITY, SPEED, FORCE, INFLOW, MAGIC, DIAMETER, PICTURES }; /* the parameters */
enum { MASS, FLOW, DRAG };                                           /* the metrics */

#define NO_FLUID (-1.f)

struct rule {
    float even, odd;  /* the shares of the way to the equilibrium that a step takes: of sums and differences of pairs */
    float half, push; /* half of the force, and what it adds to a distribution */
    float speed;
    int last; /* the cells at the end; -1: the ends are joined */
    int pictures;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const double lag = 3 * engine_param_real(plan, VISCOSITY), force = engine_param_real(plan, FORCE);
    const double odd = 1 / (engine_param_real(plan, MAGIC) / lag + 0.5);
    struct rule rule;
    rule.even = (float) (1 / (lag + 0.5));
    rule.odd = (float) odd;
    rule.half = (float) (force / 2);
    rule.push = (float) (3 * force * (1 - odd / 2));
    rule.speed = (float) engine_param_real(plan, SPEED);
    rule.last = engine_param_integer(plan, INFLOW) ? (int) plan->part.whole[0] - 1 : -1;
    rule.pictures = (int) engine_param_integer(plan, PICTURES);
    return rule;
}

ENGINE_INLINE struct moments moments_of(const struct engine_cell *cell)
{
    struct moments m = {cell->f0, 0, 0, 0};
#define SUM(i, o, cx, cy, cz, weight) \
    m.density += cell->f##i + cell->f##o; \
    m.x += (float) (cx) * (cell->f##i - cell->f##o); \
    m.y += (float) (cy) * (cell->f##i - cell->f##o); \
    m.z += (float) (cz) * (cell->f##i - cell->f##o);
    D3Q19(SUM)
    return m;
}

/* What arrives with the velocity (cx, cy, cz): `there`, from the neighbour where it comes from. If that is solid, `back`
 * arrives, which left in the opposite direction one step ago: the surface is half-way between the cells. The inflow adds
 * its momentum to it, and the outflow holds the density at 1. */
ENGINE_INLINE float arriving(const struct rule *rule, const struct engine_near *near, const struct moments *m, int cx,
                             int cy, int cz, float weight, int solid, float there, float back)
{
    const int x = (int) near->x;
    const int begin = cx > 0 ? (x == 0) & (rule->last >= 0) : 0, end = cx < 0 ? x == rule->last : 0;
    const float along = 3 * ((float) cx * m->x + (float) cy * m->y + (float) cz * m->z);
    const float square = 1.5f * (m->x * m->x + m->y * m->y + m->z * m->z);
    const float in = back + 6 * weight * rule->speed;
    const float out = 2 * weight * (0.5f * along * along - square) - back;
    float arrives = there;
    if (end)
        arrives = out;
    if (begin)
        arrives = in;
    if (solid)
        arrives = back;
    return arrives;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const struct engine_cell before = *cell;
    const struct moments old = moments_of(cell);
    const int here = near->input.solid;
#define ARRIVE(i, o, cx, cy, cz, weight) \
    cell->f##i = arriving(rule, near, &old, cx, cy, cz, weight, engine_input_at(near, -(cx), -(cy), -(cz)).solid, \
                          engine_at(near, -(cx), -(cy), -(cz)).f##i, here ? 0 : before.f##o); \
    cell->f##o = arriving(rule, near, &old, -(cx), -(cy), -(cz), weight, engine_input_at(near, cx, cy, cz).solid, \
                          engine_at(near, cx, cy, cz).f##o, here ? 0 : before.f##i);
    D3Q19(ARRIVE)
    struct moments m = moments_of(cell);
    m.x += rule->half;
    const float rest = equilibrium(&m, 0, 0, 0, 1.f / 3).even;
    cell->f0 = here ? NO_FLUID : cell->f0 + rule->even * (rest - cell->f0);
#define TURN(i, o, cx, cy, cz, weight) \
    const struct pair pair##i = equilibrium(&m, cx, cy, cz, weight); \
    const float both##i = rule->even * (pair##i.even - 0.5f * (cell->f##i + cell->f##o)); \
    const float first##i = \
        rule->odd * (pair##i.odd - 0.5f * (cell->f##i - cell->f##o)) + weight * rule->push * (float) (cx); \
    cell->f##i = here ? cell->f##i : cell->f##i + (both##i + first##i); \
    cell->f##o = here ? cell->f##o : cell->f##o + (both##i - first##i);
    D3Q19(TURN)
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    const int fluid = cell->f0 > NO_FLUID;
    double density = (double) cell->f0, x = 0;
#define TALLY(i, o, cx, cy, cz, weight) \
    density += (double) cell->f##i + (double) cell->f##o; \
    x += (cx) * ((double) cell->f##i - (double) cell->f##o);
    D3Q19(TALLY)
    sums[MASS] += fluid ? density : 0;
    sums[FLOW] += fluid ? x - (double) rule->half : 0;
    sums[DRAG] += fluid ? 0 : 2 * x;
}

ENGINE_INLINE void show(const struct rule *rule, const struct engine_near *near, const struct engine_cell *cell,
                        struct engine_shown *shown)
{
    const struct moments m = moments_of(cell);
    const int solid = near->input.solid;
    const float rho = 1 + m.density;
    shown->density = solid ? 0 : rho;
    shown->velocity_x = solid ? 0 : (m.x - rule->half) / rho;
    shown->velocity_y = solid ? 0 : m.y / rho;
    shown->velocity_z = solid ? 0 : m.z / rho;
}
