/* One axis, bit planes, two members. NUMBER: the reach. */
#define STENCIL_AXES         1
#define STENCIL_REACH        NUMBER
#define STENCIL_CELL(member) member(engine_states, cells) member(engine_states, age)
#define STENCIL_BITS         3
#include <engine/stencil.h>

struct rule {
    int limit;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {2 * NUMBER + 1};
    (void) plan;
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    engine_states sum = 0;
    for (int x = -NUMBER; x <= NUMBER; x++)
        sum += engine_at(near, x).cells;
    const engine_states old = engine_at(near, NUMBER).age;
    cell->age = engine_if(sum > rule->limit, old, cell->age + 1) & 7;
    cell->cells = (sum + engine_at(near, -NUMBER).age) & 7;
}

#ifndef __CUDACC__
enum { CELLS, AGE };

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 1), .values = 8, .reach = {NUMBER, 0, 0}},
    {ENGINE_GRID_FIELD("age", "", ENGINE_STATE, ENGINE_U8, 1), .values = 8, .reach = {NUMBER, 0, 0}},
};

static void plain(const struct place *place)
{
    int sum = 0;
    for (int x = NUMBER; x >= -NUMBER; x--)
        sum += (int) plain_read(place, CELLS, 0, x, 0, 0);
    const int age = (int) plain_read(place, AGE, 0, 0, 0, 0);
    plain_write(place, AGE, 0, sum > 2 * NUMBER + 1 ? plain_read(place, AGE, 0, NUMBER, 0, 0) : (age + 1) % 8);
    plain_write(place, CELLS, 0, (sum + (int) plain_read(place, AGE, 0, -NUMBER, 0, 0)) % 8);
}
#endif
