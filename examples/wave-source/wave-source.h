/* The wave equation with a point source: in each step, a cell gets a push that depends on the number of the step. */
#define STENCIL_AXES  2
#define STENCIL_REACH 1
#define STENCIL_STAR
#define STENCIL_STEP
#define STENCIL_CELL(member) member(float, height) member(float, velocity)
#define STENCIL_OPERATIONS   8
#define STENCIL_DIVISIBLE
#include <engine/stencil.h>

enum { HEIGHT, VELOCITY };    /* fields */
enum { SPEED, LENGTH, X, Y }; /* parameters */

struct rule {
    float square;  /* of the speed */
    float shorter; /* 2 / length of the pulse */
    int64_t x, y;  /* the source */
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const double speed = engine_param_real(plan, SPEED);
    const uint64_t *extent = plan->part.whole; /* a part of a divided run has the same source */
    const struct rule rule = {(float) (speed * speed), (float) (2 / engine_param_real(plan, LENGTH)),
                              (int64_t) (engine_param_real(plan, X) * (double) extent[0]),
                              (int64_t) (engine_param_real(plan, Y) * (double) extent[1])};
    return rule;
}

/* The push of a step: (1 - t^2)^3 (1 - 9 t^2) for t from -1 to 1, and then 0. Its sum is 0. A Ricker wavelet looks
 * similar, but expf has other bits on a GPU. */
ENGINE_INLINE float pulse(const struct rule *rule, uint64_t step)
{
    const float t = rule->shorter * (float) step - 1, rest = 1 - t * t;
    return rest > 0 ? rest * rest * rest * (1 - 9 * t * t) : 0;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const float around = (engine_at(near, -1, 0).height + engine_at(near, 1, 0).height) +
                         (engine_at(near, 0, -1).height + engine_at(near, 0, 1).height);
    const float push = near->x == rule->x && near->y == rule->y ? pulse(rule, near->step) : 0;
    cell->velocity += rule->square * (around - 4 * cell->height) + push;
    cell->height += cell->velocity;
}
