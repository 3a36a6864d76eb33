/* @NAME@: the rule, which the CPU and the GPU compile from here. engine/stencil.h explains everything in this file. */
#define STENCIL_AXES         2
#define STENCIL_REACH        1
#define STENCIL_DIVISIBLE    /* several GPUs may share a run */
#define STENCIL_CELL(member) member(engine_states, cells)
#define STENCIL_BITS         1 /* a cell is 0 or 1 */
#define STENCIL_SUMS         1 /* the population */
#include <engine/stencil.h>

/* Indices of the tables in plugin.c. */
enum { CELLS };
enum { PARITY };
enum { POPULATION };

/* The numbers that a step needs. The engine's headers read them once for each call. */
struct rule {
    int parity;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {(int) engine_param_integer(plan, PARITY)};
    return rule;
}

/* Replaces a cell's state by its next state. All eight neighbours exist at every edge, because the engine fills the
 * cells beyond it. */
ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    engine_states live = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            if (x != 0 || y != 0)
                live += engine_at(near, x, y).cells;
    cell->cells = (live & 1) == rule->parity;
}

/* Adds a cell's contribution to each metric. */
ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    (void) rule;
    sums[POPULATION] += cell->cells != 0;
}
