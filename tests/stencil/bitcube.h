/* Three axes, bit planes. NUMBER: the reach. */
#define STENCIL_AXES         3
#define STENCIL_REACH        NUMBER
#define STENCIL_CELL(member) member(engine_states, cells)
#define STENCIL_BITS         5
#define STENCIL_DIVISIBLE
#include <engine/stencil.h>

struct rule {
    int add;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {7};
    (void) plan;
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    engine_states equal = 0, all = 0;
    for (int z = -NUMBER; z <= NUMBER; z++)
        for (int y = -NUMBER; y <= NUMBER; y++)
            for (int x = -NUMBER; x <= NUMBER; x++) {
                equal += engine_at(near, x, y, z).cells == cell->cells;
                all = all ^ engine_at(near, x, y, z).cells;
            }
    const engine_states corner = engine_at(near, NUMBER, -NUMBER, NUMBER).cells;
    cell->cells = engine_if(equal < 3, all + rule->add, corner + equal) & 31;
}

#ifndef __CUDACC__
enum { CELLS };

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 3), .values = 32, .reach = {NUMBER, NUMBER, NUMBER}},
};

static void plain(const struct place *place)
{
    const int own = (int) plain_read(place, CELLS, 0, 0, 0, 0);
    int equal = 0, all = 0;
    for (int x = -NUMBER; x <= NUMBER; x++)
        for (int y = -NUMBER; y <= NUMBER; y++)
            for (int z = -NUMBER; z <= NUMBER; z++) {
                const int value = (int) plain_read(place, CELLS, 0, x, y, z);
                equal += value == own ? 1 : 0;
                all ^= value;
            }
    const int corner = (int) plain_read(place, CELLS, 0, NUMBER, -NUMBER, NUMBER);
    plain_write(place, CELLS, 0, equal < 3 ? (all + 7) % 32 : (corner + equal) % 32);
}
#endif
