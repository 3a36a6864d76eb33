/* The forest-fire model of B. Drossel and F. Schwabl (Physical Review Letters 69, 1992, 1629). In each step, a tree that
 * burns leaves an empty cell, a tree with a burning neighbour catches fire, another tree is struck by lightning with a
 * small probability, and a tree grows in an empty cell with another probability. */
#define STENCIL_AXES  2
#define STENCIL_REACH 1
#define STENCIL_STAR
#define STENCIL_CELL(member) member(uint8_t, cells)
#define STENCIL_RANDOM
#define STENCIL_SUMS 2
#define STENCIL_DIVISIBLE
#include <engine/stencil.h>

#include <engine/random.h>

enum { EMPTY, TREE, BURNING };       /* states of a cell */
enum { CELLS };                      /* fields */
enum { GROWTH, LIGHTNING, DENSITY }; /* parameters */
enum { TREES, FIRES };               /* metrics */

struct rule {
    uint64_t seed;
    int64_t width;              /* of the whole grid: a part of a divided run draws the same numbers */
    uint64_t growth, lightning; /* probabilities, times 2^32 */
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {plan->seed, (int64_t) plan->part.whole[0],
                              (uint64_t) (engine_param_real(plan, GROWTH) * 0x1p32),
                              (uint64_t) (engine_param_real(plan, LIGHTNING) * 0x1p32)};
    return rule;
}

/* A cell is either empty or a tree, so one random number is enough. */
ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    uint32_t words[4];
    engine_random_block(rule->seed, (UINT64_C(1) << 40) + near->step, (uint64_t) (near->y * rule->width + near->x),
                        words);
    const int fire = engine_at(near, -1, 0).cells == BURNING || engine_at(near, 1, 0).cells == BURNING ||
                     engine_at(near, 0, -1).cells == BURNING || engine_at(near, 0, 1).cells == BURNING;
    if (cell->cells == BURNING)
        cell->cells = EMPTY;
    else if (cell->cells == TREE)
        cell->cells = fire || words[0] < rule->lightning ? BURNING : TREE;
    else
        cell->cells = words[0] < rule->growth ? TREE : EMPTY;
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    sums[TREES] += cell->cells == TREE;
    sums[FIRES] += cell->cells == BURNING;
    (void) rule;
}
