/* Gray-Scott: the rule, which the CPU and the GPU compile from here. */
#ifndef GRAY_SCOTT_H
#define GRAY_SCOTT_H

#define STENCIL_AXES  2
#define STENCIL_REACH 1
#define STENCIL_STAR
#define STENCIL_CELL(member) member(float, u) member(float, v)
#define STENCIL_OPERATIONS   18
#define STENCIL_SUMS         2 /* the means of u and v */
#define STENCIL_DIVISIBLE
#include <engine/stencil.h>

#include <math.h>

enum { U, V };                                            /* fields, and metrics */
enum { FEED, KILL, DIFFUSION_U, DIFFUSION_V, DT, NOISE }; /* parameters */

/* Euler's rule. lap is the sum of the four neighbours minus four times the cell, so
 *
 *     u + dt (Du lap(u) - u v^2 + F (1 - u))  =  u + spread_u (sum of the neighbours) - loss_u u + feed - dt u v^2
 *     v + dt (Dv lap(v) + u v^2 - (F + k) v)  =  v + spread_v (sum of the neighbours) - loss_v v + dt u v^2
 *
 * Without feed and decay, the loss is exactly four times the spread, so that no substance is lost by rounding. */
struct rule {
    float spread_u, loss_u, feed;
    float spread_v, loss_v, dt;
    double share; /* of a cell in a mean */
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const double dt = engine_param_real(plan, DT), feed = dt * engine_param_real(plan, FEED);
    const uint64_t *extent = plan->part.whole; /* a part of a divided run has the same share */
    struct rule rule;
    rule.spread_u = (float) (dt * engine_param_real(plan, DIFFUSION_U));
    rule.spread_v = (float) (dt * engine_param_real(plan, DIFFUSION_V));
    rule.loss_u = (float) (4.0 * (double) rule.spread_u + feed);
    rule.loss_v = (float) (4.0 * (double) rule.spread_v + feed + dt * engine_param_real(plan, KILL));
    rule.feed = (float) feed;
    rule.dt = (float) dt;
    rule.share = 1 / ((double) extent[0] * (double) extent[1]);
    return rule;
}

#define V_MIN 1e-18f

/* In this order of additions, a mirror image gives the same bits. A v below V_MIN becomes 0. Far from all patterns v,
 * or its square, would otherwise become subnormal, and an operation on such a number takes many processors over a
 * hundred cycles. */
ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const float u = cell->u, v = cell->v, reaction = u * v * v;
    const float around_u =
        (engine_at(near, -1, 0).u + engine_at(near, 1, 0).u) + (engine_at(near, 0, -1).u + engine_at(near, 0, 1).u);
    const float around_v =
        (engine_at(near, -1, 0).v + engine_at(near, 1, 0).v) + (engine_at(near, 0, -1).v + engine_at(near, 0, 1).v);
    const float next_u =
        u + fmaf(rule->spread_u, around_u, fmaf(-rule->loss_u, u, fmaf(-rule->dt, reaction, rule->feed)));
    const float next_v = v + fmaf(rule->spread_v, around_v, fmaf(-rule->loss_v, v, rule->dt * reaction));
    cell->u = next_u;
    cell->v = next_v < V_MIN ? 0 : next_v;
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    sums[U] += rule->share * (double) cell->u;
    sums[V] += rule->share * (double) cell->v;
}

#endif
