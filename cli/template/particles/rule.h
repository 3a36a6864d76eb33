/* @NAME@: the rule, which the CPU and the GPU compile from here. Springs pull particles together that are near each
 * other. */
#define NEIGHBOURS_AXES            3
#define NEIGHBOURS_PARTICLE(field) field(float, position, 3) field(float, velocity, 3)
#define NEIGHBOURS_SUM(sum)        sum(pull, 3)
#define NEIGHBOURS_METRICS         2
#include <engine/neighbours.h>

/* Indices of the tables in plugin.c. */
enum { POSITION, VELOCITY };
enum { REACH, STIFFNESS, DT };
enum { X_MEAN, X_SQUARE };

#define UNIT 0x1p24f /* sums are whole multiples of 2^-24, so that they do not depend on the order of the neighbours */

/* The numbers that a step needs. A call reads them once. */
struct rule {
    float reach; /* neighbours are nearer than this */
    float kick, dt;
    double per_particle; /* 1 / the number of particles */
};

static inline struct rule rule_of(const struct engine_call *call)
{
    const struct engine_plan *plan = call->plan;
    const double dt = engine_param_real(plan, DT), stiffness = engine_param_real(plan, STIFFNESS);
    const struct rule rule = {(float) engine_param_real(plan, REACH), (float) (dt * stiffness), (float) dt,
                              1 / (double) engine_field_shape(plan, POSITION)->extent[0]};
    return rule;
}

/* Adds what a particle gets from one neighbour. d is the way from `other` to `self`, and `square` the square of its
 * length. */
ENGINE_INLINE void meet(const struct rule *rule, const struct engine_seen *self, const struct engine_seen *other,
                        const float d[3], float square, struct engine_sums *sums)
{
    (void) rule, (void) self, (void) other, (void) square;
    engine_add_fixed(sums->pull, -UNIT, d);
}

/* Takes a step of one particle by the leapfrog method: the velocity is that of half a step before. */
ENGINE_INLINE void move(const struct rule *rule, struct engine_particle *self, const struct engine_sums *sums,
                        uint64_t id, uint64_t step)
{
    (void) id, (void) step;
    for (int axis = 0; axis < 3; axis++) {
        self->velocity[axis] += rule->kick * ((float) sums->pull[axis] * (1 / UNIT));
        self->position[axis] += rule->dt * self->velocity[axis];
    }
}

/* Adds a particle's contribution to each metric. */
ENGINE_INLINE void tally(const struct rule *rule, const struct engine_particle *self, double *sums)
{
    const double x = (double) self->position[0];
    sums[X_MEAN] += rule->per_particle * x;
    sums[X_SQUARE] += rule->per_particle * x * x;
}
