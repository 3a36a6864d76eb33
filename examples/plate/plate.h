/* Heat conduction in a plate: the rule, which the CPU and the GPU compile from here. */
#ifndef PLATE_H
#define PLATE_H

#define STENCIL_AXES  2
#define STENCIL_REACH 1
#define STENCIL_STAR
#define STENCIL_CELL(member) member(float, temperature)
#define STENCIL_OPERATIONS   6
#define STENCIL_SUMS         1 /* the mean */
#define STENCIL_DIVISIBLE
#include <engine/stencil.h>

#include <math.h>

enum { TEMPERATURE }; /* field, and metric */
enum { DIFFUSIVITY }; /* parameter */

struct rule {
    float diffusivity; /* of a step, in cells */
    double share;      /* of a cell in the mean */
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const uint64_t *extent = plan->part.whole; /* a part of a divided run has the same share */
    struct rule rule;
    rule.diffusivity = (float) engine_param_real(plan, DIFFUSIVITY);
    rule.share = 1 / ((double) extent[0] * (double) extent[1]);
    return rule;
}

/* Euler's rule. In this order of additions, a mirror image gives the same bits. */
ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const float around = (engine_at(near, -1, 0).temperature + engine_at(near, 1, 0).temperature) +
                         (engine_at(near, 0, -1).temperature + engine_at(near, 0, 1).temperature);
    cell->temperature = fmaf(rule->diffusivity, fmaf(-4.0f, cell->temperature, around), cell->temperature);
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    sums[TEMPERATURE] += rule->share * (double) cell->temperature;
}

#endif
