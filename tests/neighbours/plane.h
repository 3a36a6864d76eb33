/* Two axes, floats, random numbers, several sums, a count that `meet` sees, and metrics. */
#define NEIGHBOURS_AXES            2
#define NEIGHBOURS_PARTICLE(field) field(float, position, 3) field(int32_t, met, 1) field(float, velocity, 2)
#define NEIGHBOURS_SEEN(field)     field(int32_t, met, 1) field(float, velocity, 2)
#define NEIGHBOURS_SUM(sum)        sum(count, 1) sum(push, 2) sum(velocity, 2)
#define NEIGHBOURS_METRICS         2
#define NEIGHBOURS_RANDOM
#define NEIGHBOURS_SKIN(rule) ((rule)->skin)
#include <engine/neighbours.h>
#include <engine/random.h>

#define FIELDS \
    {ENGINE_PARTICLE_FIELD("position", "of which two components count", ENGINE_STATE, ENGINE_F32, 3)}, \
        {ENGINE_PARTICLE_FIELD("met", "a number", ENGINE_STATE, ENGINE_I32, 1), .values = 5}, \
    { \
        ENGINE_PARTICLE_FIELD("velocity", "of two components", ENGINE_STATE, ENGINE_F32, 2) \
    }

struct rule {
    float reach, skin, speed;
    uint64_t seed;
};

static inline struct rule rule_of(const struct engine_call *call)
{
    const struct rule rule = {(float) engine_param_real(call->plan, 0), (float) engine_param_real(call->plan, 1),
                              (float) engine_param_real(call->plan, 2), call->plan->seed};
    return rule;
}

ENGINE_INLINE void meet(const struct rule *rule, const struct engine_seen *self, const struct engine_seen *other,
                        const float d[2], float square, struct engine_sums *sums)
{
    sums->count[0] += 1 + other->met[0];
    engine_add_fixed(sums->push, 0x1p30f / (square + 0x1p-20f * rule->reach),
                     d); /* beyond 32 bits where they are near */
    for (int c = 0; c < 2; c++)
        sums->velocity[c] += engine_fixed(0x1p20f * (other->velocity[c] - self->velocity[c]));
}

ENGINE_INLINE void move(const struct rule *rule, struct engine_particle *self, const struct engine_sums *sums,
                        uint64_t id, uint64_t step)
{
    uint32_t words[4];
    engine_random_block(rule->seed, ((uint64_t) 1 << 32) + step, id, words);
    self->met[0] = (int32_t) (sums->count[0] % 5);
    for (int c = 0; c < 2; c++) {
        const float push = (float) sums->push[c] * 0x1p-34f, chance = (float) (int32_t) words[c] * 0x1p-31f;
        const float limited = push < -1 ? -1 : push > 1 ? 1 : push;
        self->velocity[c] = 0.5f * self->velocity[c] + limited + chance + 0x1p-24f * (float) sums->velocity[c];
        self->position[c] += rule->speed * self->velocity[c];
    }
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_particle *self, double *sums)
{
    (void) rule;
    sums[0] += self->met[0];
    sums[1] += 1;
}
