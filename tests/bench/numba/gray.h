/* Gray-Scott in three dimensions. The feed is an input. */
#define STENCIL_AXES  3
#define STENCIL_REACH 1
#define STENCIL_STAR
#define STENCIL_CELL(member)   member(float, u) member(float, v)
#define STENCIL_INPUTS(member) member(float, feed)
#include <engine/stencil.h>

struct rule {
    float du, dv, kill;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {0.16f, 0.08f, 0.06f};
    (void) plan;
    return rule;
}

#define AROUND(member) \
    (((engine_at(near, -1, 0, 0).member + engine_at(near, 1, 0, 0).member) + \
      (engine_at(near, 0, -1, 0).member + engine_at(near, 0, 1, 0).member)) + \
     (engine_at(near, 0, 0, -1).member + engine_at(near, 0, 0, 1).member))

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const float u = cell->u, v = cell->v, feed = near->input.feed, uvv = u * v * v;
    cell->u = u + (rule->du * (AROUND(u) - 6 * u) - uvv + feed * (1 - u));
    cell->v = v + (rule->dv * (AROUND(v) - 6 * v) + uvv - (feed + rule->kill) * v);
}

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("u", "", ENGINE_STATE, ENGINE_F32, 3), .reach = {1, 1, 1}},
    {ENGINE_GRID_FIELD("v", "", ENGINE_STATE, ENGINE_F32, 3), .reach = {1, 1, 1}},
    {ENGINE_GRID_FIELD("feed", "", ENGINE_INPUT, ENGINE_F32, 3)},
};
