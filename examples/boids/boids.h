/* boids: the rule, which the CPU and the GPU compile from here. */
#ifndef BOIDS_H
#define BOIDS_H

#define NEIGHBOURS_AXES            2 /* they fly in a plane; pictures and files need the third component, which stays 0 */
#define NEIGHBOURS_PARTICLE(field) field(float, position, 3) field(float, velocity, 3)
#define NEIGHBOURS_SEEN(field)     field(float, velocity, 2)
#define NEIGHBOURS_SUM(sum)        sum(count, 1) sum(velocity, 2) sum(centre, 2) sum(away, 2)
#define NEIGHBOURS_METRICS         2                                /* the mean heading along x and y */
#define NEIGHBOURS_SKIN(rule)      (6 * (rule)->speed * (rule)->dt) /* lists are good for three steps */
#define NEIGHBOURS_RANDOM
#include <engine/neighbours.h>
#include <engine/random.h>

enum { POSITION, VELOCITY };                                         /* fields */
enum { REACH, PERSONAL, ALIGN, COHERE, SEPARATE, NOISE, SPEED, DT }; /* parameters */
enum { HEADING_X, HEADING_Y };                                       /* metrics */

#define UNIT 0x1p24f /* sums are in units of 2^-24 */

struct rule {
    float reach, personal2; /* who is nearer than the personal distance is too near */
    float align, cohere, separate, noise, speed, dt;
    double box[2], share; /* share: of a bird in a mean */
    uint64_t seed;
};

static inline struct rule rule_of(const struct engine_call *call)
{
    const struct engine_plan *plan = call->plan;
    const float personal = (float) engine_param_real(plan, PERSONAL);
    struct rule rule;
    rule.reach = (float) engine_param_real(plan, REACH);
    rule.personal2 = personal * personal;
    rule.align = (float) engine_param_real(plan, ALIGN);
    rule.cohere = (float) engine_param_real(plan, COHERE);
    rule.separate = (float) engine_param_real(plan, SEPARATE);
    rule.noise = (float) engine_param_real(plan, NOISE);
    rule.speed = (float) engine_param_real(plan, SPEED);
    rule.dt = (float) engine_param_real(plan, DT);
    rule.box[0] = plan->box[0];
    rule.box[1] = plan->box[1];
    rule.share = 1 / ((double) engine_field_shape(plan, POSITION)->extent[0] * (double) rule.speed);
    rule.seed = plan->seed;
    return rule;
}

/* d is the way from the other bird to this one. */
ENGINE_INLINE void meet(const struct rule *rule, const struct engine_seen *self, const struct engine_seen *other,
                        const float d[2], float square, struct engine_sums *sums)
{
    (void) self;
    sums->count[0]++;
    engine_add_fixed(sums->velocity, UNIT, other->velocity);
    engine_add_fixed(sums->centre, -UNIT, d);
    if (square < rule->personal2)
        engine_add_fixed(sums->away, UNIT * (1 - square / rule->personal2), d);
}

/* A bird turns to the mean velocity and to the centre of its neighbours, away from those that are too near, and by
 * chance. Its speed stays the same. */
ENGINE_INLINE void move(const struct rule *rule, struct engine_particle *self, const struct engine_sums *sums,
                        uint64_t id, uint64_t step)
{
    const float each = sums->count[0] > 0 ? 1 / (UNIT * (float) sums->count[0]) : 0;
    float turned[2];
    uint32_t words[4];
    engine_random_block(rule->seed, ((uint64_t) 1 << 32) + step, id, words);
    for (int c = 0; c < 2; c++) {
        const float chance = (float) (int32_t) words[c] * 0x1p-31f; /* -1 to 1 */
        const float follow = each > 0 ? (float) sums->velocity[c] * each - self->velocity[c] : 0;
        turned[c] = self->velocity[c] +
                    rule->dt * (rule->align * follow + rule->cohere * ((float) sums->centre[c] * each) +
                                rule->separate * ((float) sums->away[c] * (1 / UNIT)) + rule->noise * chance);
    }
    const float now = sqrtf(turned[0] * turned[0] + turned[1] * turned[1]);
    for (int c = 0; c < 2; c++) {
        if (now > 0)
            self->velocity[c] = turned[c] * (rule->speed / now);
        self->position[c] =
            (float) engine_wrapped((double) (self->position[c] + rule->dt * self->velocity[c]), rule->box[c]);
    }
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_particle *self, double *sums)
{
    sums[HEADING_X] += rule->share * (double) self->velocity[0];
    sums[HEADING_Y] += rule->share * (double) self->velocity[1];
}

#endif
