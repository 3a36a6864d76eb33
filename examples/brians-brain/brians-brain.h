/* Brian's Brain (Brian Silverman, 1984). A ready cell fires if exactly two of its eight neighbours fire. A cell that
 * fires is tired in the next step, and then ready again. */
#define STENCIL_AXES         2
#define STENCIL_REACH        1
#define STENCIL_CELL(member) member(engine_states, cells)
#define STENCIL_BITS         2
#define STENCIL_SUMS         2
#define STENCIL_DIVISIBLE
#include <engine/stencil.h>

enum { READY, FIRING, TIRED };      /* states of a cell */
enum { CELLS };                     /* fields */
enum { FIRING_CELLS, TIRED_CELLS }; /* metrics */

struct rule {
    int none; /* the rule has no parameters */
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {0};
    (void) plan;
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    engine_states firing = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            firing += engine_at(near, x, y).cells == FIRING;
    const engine_states rested = engine_if(cell->cells == READY && firing == 2, FIRING, READY);
    cell->cells = engine_if(cell->cells == FIRING, TIRED, rested);
    (void) rule;
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    sums[FIRING_CELLS] += cell->cells == FIRING;
    sums[TIRED_CELLS] += cell->cells == TIRED;
    (void) rule;
}
