/* The wave equation: the height now and one step before. */
#define STENCIL_AXES  2
#define STENCIL_REACH 1
#define STENCIL_STAR
#define STENCIL_CELL(member) member(float, now) member(float, before)
#include <engine/stencil.h>

struct rule {
    float c2;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {0.25f};
    (void) plan;
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const float around = (engine_at(near, -1, 0).now + engine_at(near, 1, 0).now) +
                         (engine_at(near, 0, -1).now + engine_at(near, 0, 1).now);
    const float after = 2 * cell->now - cell->before + rule->c2 * (around - 4 * cell->now);
    cell->before = cell->now;
    cell->now = after;
}

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("now", "", ENGINE_STATE, ENGINE_F32, 2), .reach = {1, 1, 0}},
    {ENGINE_GRID_FIELD("before", "", ENGINE_STATE, ENGINE_F32, 2), .reach = {1, 1, 0}},
};
