/* The model of T. Vicsek, A. Czirok, E. Ben-Jacob, I. Cohen and O. Shochet (Physical Review Letters 75, 1995, 1226).
 * Particles move with one speed. In each step, a particle takes the mean direction of all particles within the reach,
 * itself included, and turns by a random angle. */
#ifndef VICSEK_H
#define VICSEK_H

#define NEIGHBOURS_AXES            2 /* they move in a plane; pictures and files need the third component, which stays 0 */
#define NEIGHBOURS_PARTICLE(field) field(float, position, 3) field(float, heading, 2)
#define NEIGHBOURS_SEEN(field)     field(float, heading, 2)
#define NEIGHBOURS_SUM(sum)        sum(heading, 2)
#define NEIGHBOURS_METRICS         2                   /* the mean heading along x and y */
#define NEIGHBOURS_SKIN(rule)      (8 * (rule)->speed) /* lists are good for four steps */
#define NEIGHBOURS_RANDOM
#include <engine/neighbours.h>
#include <engine/random.h>

enum { POSITION, HEADING };    /* fields */
enum { REACH, SPEED, NOISE };  /* parameters */
enum { HEADING_X, HEADING_Y }; /* metrics */

#define UNIT 0x1p24f /* sums are in units of 2^-24 */

struct rule {
    float reach, speed, noise;
    double box[2], share; /* share: of a particle in a mean */
    uint64_t seed;
};

static inline struct rule rule_of(const struct engine_call *call)
{
    const struct engine_plan *plan = call->plan;
    struct rule rule;
    rule.reach = (float) engine_param_real(plan, REACH);
    rule.speed = (float) engine_param_real(plan, SPEED);
    rule.noise = (float) engine_param_real(plan, NOISE);
    rule.box[0] = plan->box[0];
    rule.box[1] = plan->box[1];
    rule.share = 1 / (double) engine_field_shape(plan, POSITION)->extent[0];
    rule.seed = plan->seed;
    return rule;
}

ENGINE_INLINE void meet(const struct rule *rule, const struct engine_seen *self, const struct engine_seen *other,
                        const float d[2], float square, struct engine_sums *sums)
{
    (void) rule, (void) self, (void) d, (void) square;
    engine_add_fixed(sums->heading, UNIT, other->heading);
}

/* Sets turn to the cosine and the sine of an angle from -pi to pi, with errors below 1e-6. The series are those of half
 * the angle. sinf and cosf would have other bits on a GPU. */
ENGINE_INLINE void turn_of(float angle, float turn[2])
{
    const float half = angle / 2, square = half * half;
    const float cosine =
        1 -
        square / 2 * (1 - square / 12 * (1 - square / 30 * (1 - square / 56 * (1 - square / 90 * (1 - square / 132)))));
    const float sine =
        half * (1 - square / 6 * (1 - square / 20 * (1 - square / 42 * (1 - square / 72 * (1 - square / 110)))));
    turn[0] = cosine * cosine - sine * sine;
    turn[1] = 2 * cosine * sine;
}

/* The angle is uniform from -noise / 2 to noise / 2. The way of a step is along the heading before the step. */
ENGINE_INLINE void move(const struct rule *rule, struct engine_particle *self, const struct engine_sums *sums,
                        uint64_t id, uint64_t step)
{
    uint32_t words[4];
    float turn[2], mean[2];
    engine_random_block(rule->seed, ((uint64_t) 1 << 32) + step, id, words);
    turn_of(rule->noise * ((float) (int32_t) words[0] * 0x1p-32f), turn);
    for (int c = 0; c < 2; c++) {
        mean[c] = self->heading[c] + (float) sums->heading[c] * (1 / UNIT);
        self->position[c] =
            (float) engine_wrapped((double) (self->position[c] + rule->speed * self->heading[c]), rule->box[c]);
    }
    const float x = mean[0] * turn[0] - mean[1] * turn[1], y = mean[0] * turn[1] + mean[1] * turn[0];
    const float length = sqrtf(x * x + y * y);
    if (length > 0) {
        self->heading[0] = x / length;
        self->heading[1] = y / length;
    }
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_particle *self, double *sums)
{
    sums[HEADING_X] += rule->share * (double) self->heading[0];
    sums[HEADING_Y] += rule->share * (double) self->heading[1];
}

#endif
