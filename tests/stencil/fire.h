/* A forest fire: a branch for each state, and random numbers of the place and the step. */
#define STENCIL_AXES  2
#define STENCIL_REACH 1
#define STENCIL_STAR
#define STENCIL_RANDOM
#define STENCIL_DIVISIBLE
#define STENCIL_CELL(member) member(uint8_t, cells)
#include <engine/stencil.h>

#include <engine/random.h>

enum { EMPTY, TREE, FIRE };

struct rule {
    uint64_t seed;
    int64_t width;
    uint32_t grow, spark;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {plan->seed, (int64_t) plan->part.whole[0], 42949672, 429496};
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    uint32_t words[4];
    engine_random_block(rule->seed, (UINT64_C(1) << 40) + near->step, (uint64_t) (near->y * rule->width + near->x),
                        words);
    const int burning = engine_at(near, -1, 0).cells == FIRE || engine_at(near, 1, 0).cells == FIRE ||
                        engine_at(near, 0, -1).cells == FIRE || engine_at(near, 0, 1).cells == FIRE;
    if (cell->cells == FIRE)
        cell->cells = EMPTY;
    else if (cell->cells == TREE)
        cell->cells = burning || words[0] < rule->spark ? FIRE : TREE;
    else
        cell->cells = words[1] < rule->grow ? TREE : EMPTY;
}

#ifndef __CUDACC__
static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 2), .values = 3, .reach = {1, 1, 0}},
};

/* host->random computes the same words by the engine's own code. */
static inline void plain(const struct place *place)
{
    static const int around[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    const struct engine_plan *plan = place->call->plan;
    const uint64_t cell = (uint64_t) (place->y * (int64_t) engine_field_shape(plan, 0)->extent[0] + place->x);
    const int state = (int) plain_read(place, 0, 0, 0, 0, 0);
    uint32_t words[2];
    int burning = 0;
    place->call->host->random(place->call->host, plan->seed, (UINT64_C(1) << 40) + place->call->first_step, 4 * cell, 2,
                              words);
    for (int i = 0; i < 4; i++)
        burning += plain_read(place, 0, 0, around[i][0], around[i][1], 0) == 2;
    if (state == 0)
        plain_write(place, 0, 0, words[1] < 42949672);
    else
        plain_write(place, 0, 0, state == 2 ? 0 : burning > 0 || words[0] < 429496 ? 2 : 1);
}
#endif
