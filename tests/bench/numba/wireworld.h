/* Wireworld: electrons run along wires. */
#define STENCIL_AXES         2
#define STENCIL_REACH        1
#define STENCIL_BITS         2
#define STENCIL_CELL(member) member(engine_states, cells)
#include <engine/stencil.h>

enum { EMPTY, HEAD, TAIL, WIRE };

struct rule {
    int heads;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {2};
    (void) plan;
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    engine_states heads = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            heads += engine_at(near, x, y).cells == HEAD;
    const engine_mask fires = heads >= 1 && heads <= rule->heads;
    cell->cells =
        engine_if(cell->cells == HEAD, TAIL,
                  engine_if(cell->cells == TAIL, WIRE, engine_if(cell->cells == WIRE && fires, HEAD, cell->cells)));
}

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 2), .values = 4, .reach = {1, 1, 0}},
};
