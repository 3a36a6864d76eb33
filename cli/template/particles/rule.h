/* @NAME@: the rule, which the CPU and the GPU compile from here. */
#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

int cuda_create(const struct engine_call *call, void **self);
int cuda_advance(void *self, struct engine_call *call);
int cuda_measure(void *self, const struct engine_call *call, double *values);

#ifdef __cplusplus
}
#endif

/* Indices of the tables in plugin.c. */
enum { POSITION, VELOCITY };
enum { FREQUENCY, DT };
enum { ENERGY, X_MEAN, METRICS };

/* The numbers that a step needs. A call reads them once. */
struct rule {
    float dt, kick;      /* kick = dt * frequency^2 */
    double per_particle; /* 1 / the number of particles */
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const double dt = engine_param_real(plan, DT), frequency = engine_param_real(plan, FREQUENCY);
    const struct rule rule = {(float) dt, (float) (dt * frequency * frequency),
                              1 / (double) engine_field_shape(plan, POSITION)->extent[0]};
    return rule;
}

/* A step of one particle by the leapfrog method: the velocity is that of half a step before. A spring pulls the particle
 * to the origin. */
ENGINE_INLINE void next(const struct rule *rule, float position[3], float velocity[3])
{
    for (int axis = 0; axis < 3; axis++) {
        velocity[axis] -= rule->kick * position[axis];
        position[axis] += rule->dt * velocity[axis];
    }
}

/* Adds a particle's contribution to each metric. The leapfrog method conserves exactly this form of the energy. */
ENGINE_INLINE void tally(const struct rule *rule, const float position[3], const float velocity[3],
                         double sums[METRICS])
{
    for (int axis = 0; axis < 3; axis++) {
        const double x = (double) position[axis], v = (double) velocity[axis];
        sums[ENERGY] += rule->per_particle * (v * v + (double) rule->kick * x * (x / (double) rule->dt - v)) / 2;
    }
    sums[X_MEAN] += rule->per_particle * (double) position[0];
}

/* The particles in one buffer: x, y and z of particle 0, then of particle 1, and so on. */
struct particles {
    float *position, *velocity;
};

static inline struct particles particles_of(const struct engine_call *call, uint32_t which)
{
    const struct particles particles = {(float *) engine_field_buffer(call, POSITION)->origin[which],
                                        (float *) engine_field_buffer(call, VELOCITY)->origin[which]};
    return particles;
}

/* Takes particle i through all steps of a call. */
ENGINE_INLINE void take_steps(const struct rule *rule, struct particles now, struct particles then, uint64_t i,
                              uint64_t steps)
{
    float position[3], velocity[3];
    for (int axis = 0; axis < 3; axis++) {
        position[axis] = now.position[3 * i + (uint64_t) axis];
        velocity[axis] = now.velocity[3 * i + (uint64_t) axis];
    }
    for (uint64_t step = 0; step < steps; step++)
        next(rule, position, velocity);
    for (int axis = 0; axis < 3; axis++) {
        then.position[3 * i + (uint64_t) axis] = position[axis];
        then.velocity[3 * i + (uint64_t) axis] = velocity[axis];
    }
}
