/* Vicsek's birds: each takes the mean direction of its neighbours, turned by chance. */
#define NEIGHBOURS_AXES            2
#define NEIGHBOURS_PARTICLE(field) field(float, position, 2) field(float, heading, 2)
#define NEIGHBOURS_SEEN(field)     field(float, heading, 2)
#define NEIGHBOURS_SUM(sum)        sum(heading, 2)
#define NEIGHBOURS_RANDOM
#include <engine/neighbours.h>
#include <engine/random.h>

struct rule {
    float reach, speed, noise;
    double box[2];
    uint64_t seed;
};

static inline struct rule rule_of(const struct engine_call *call)
{
    const struct engine_plan *plan = call->plan;
    const struct rule rule = {1, 0.03f, 0.3f, {plan->box[0], plan->box[1]}, plan->seed};
    return rule;
}

ENGINE_INLINE void meet(const struct rule *rule, const struct engine_seen *self, const struct engine_seen *other,
                        const float d[2], float square, struct engine_sums *sums)
{
    (void) rule, (void) self, (void) d, (void) square;
    engine_add_fixed(sums->heading, 0x1p24f, other->heading);
}

ENGINE_INLINE void move(const struct rule *rule, struct engine_particle *self, const struct engine_sums *sums,
                        uint64_t id, uint64_t step)
{
    uint32_t words[4];
    engine_random_block(rule->seed, (UINT64_C(1) << 40) + step, id, words);
    const float x = self->heading[0] + 0x1p-24f * (float) sums->heading[0],
                y = self->heading[1] + 0x1p-24f * (float) sums->heading[1];
    const float length = sqrtf(x * x + y * y), angle = rule->noise * 0x1p-31f * (float) (int32_t) words[0];
    const float half = 0.5f * angle, down = 1 / (1 + half * half); /* a rational turn by about `angle` */
    const float c = (1 - half * half) * down, s = 2 * half * down;
    if (length > 0) {
        self->heading[0] = (x * c - y * s) / length;
        self->heading[1] = (x * s + y * c) / length;
    }
    for (int axis = 0; axis < 2; axis++)
        self->position[axis] = (float) engine_wrapped(
            (double) (self->position[axis] + rule->speed * self->heading[axis]), rule->box[axis]);
}

static const struct engine_field fields[] = {
    {ENGINE_PARTICLE_FIELD("position", "", ENGINE_STATE, ENGINE_F32, 2)},
    {ENGINE_PARTICLE_FIELD("heading", "", ENGINE_STATE, ENGINE_F32, 2)},
};
