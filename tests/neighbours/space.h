/* Three axes, doubles, inputs, an output, a begin, and forces along the line between two particles, some beyond 32
 * bits:
 * velocity Verlet of soft spheres of two species. */
#define NEIGHBOURS_AXES            3
#define NEIGHBOURS_PARTICLE(field) field(double, position, 3) field(double, velocity, 3)
#define NEIGHBOURS_INPUTS(field)   field(double, mass, 1) field(uint8_t, species, 1)
#define NEIGHBOURS_OUTPUTS(field)  field(double, force, 3)
#define NEIGHBOURS_SEEN(field)     field(uint32_t, species, 1)
#define NEIGHBOURS_SUM(sum)        sum(force, 3)
#define NEIGHBOURS_SKIN(rule)      ((rule)->skin)
#define NEIGHBOURS_BEGIN
#define NEIGHBOURS_CENTRAL force
#include <engine/neighbours.h>

#define FIELDS \
    {ENGINE_PARTICLE_FIELD("position", "of the spheres", ENGINE_STATE, ENGINE_F64, 3)}, \
        {ENGINE_PARTICLE_FIELD("velocity", "of the spheres", ENGINE_STATE, ENGINE_F64, 3)}, \
        {ENGINE_PARTICLE_FIELD("mass", "of each", ENGINE_INPUT, ENGINE_F64, 1), .initial = 1}, \
        {ENGINE_PARTICLE_FIELD("species", "0 or 1", ENGINE_INPUT, ENGINE_U8, 1), .values = 2}, \
    { \
        ENGINE_PARTICLE_FIELD("force", "after the last step", ENGINE_OUTPUT, ENGINE_F64, 3) \
    }

struct rule {
    float reach, skin;
    double dt;
};

static inline struct rule rule_of(const struct engine_call *call)
{
    const struct rule rule = {(float) engine_param_real(call->plan, 0), (float) engine_param_real(call->plan, 1),
                              engine_param_real(call->plan, 2)};
    return rule;
}

ENGINE_INLINE float factor_of(const struct rule *rule, const struct engine_seen *self, const struct engine_seen *other,
                              float square)
{
    const float like = self->species[0] == other->species[0] ? 0x1p24f : 0x1p22f, reach2 = rule->reach * rule->reach;
    return square < 0x1p-12f ? like * 0x1p14f : square < reach2 ? like * (reach2 - square) : 0;
}

/* For the plain loop. */
ENGINE_INLINE void meet(const struct rule *rule, const struct engine_seen *self, const struct engine_seen *other,
                        const float d[3], float square, struct engine_sums *sums)
{
    for (int c = 0; c < 3; c++)
        sums->force[c] += engine_fixed(factor_of(rule, self, other, square) * d[c]);
}

ENGINE_INLINE void kick(const struct rule *rule, struct engine_particle *self, const struct engine_sums *sums)
{
    for (int c = 0; c < 3; c++) {
        self->force[c] = (double) sums->force[c] * 0x1p-24;
        self->velocity[c] += rule->dt / 2 * self->force[c] / (self->mass[0] + 1);
    }
}

ENGINE_INLINE void begin(const struct rule *rule, struct engine_particle *self, const struct engine_sums *sums,
                         uint64_t id, uint64_t step)
{
    (void) id, (void) step;
    kick(rule, self, sums);
    for (int c = 0; c < 3; c++)
        self->position[c] += rule->dt * self->velocity[c];
}

ENGINE_INLINE void move(const struct rule *rule, struct engine_particle *self, const struct engine_sums *sums,
                        uint64_t id, uint64_t step)
{
    (void) id, (void) step;
    kick(rule, self, sums);
}
