/* A step that needs sums over the grid. NUMBER: how many. */
#define STENCIL_AXES         2
#define STENCIL_REACH        1
#define STENCIL_TOTALS       NUMBER
#define STENCIL_CELL(member) member(uint8_t, owner) member(int16_t, charge)
#include <engine/stencil.h>

struct rule {
    int32_t owners;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {NUMBER - 1};
    (void) plan;
    return rule;
}

/* The last total is the sum of all charges, and the others count the cells of an owner. */
ENGINE_INLINE void count(const struct rule *rule, const struct engine_values *cell, struct engine_totals *totals)
{
    engine_add(totals, cell->owner % rule->owners, 1);
    engine_add(totals, rule->owners, cell->charge);
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const int left = engine_at(near, -1, 1).owner;
    const int64_t mine = engine_total(near, cell->owner % rule->owners),
                  other = engine_total(near, left % rule->owners);
    cell->charge = (int16_t) (cell->charge + engine_at(near, 1, 0).charge + engine_total(near, rule->owners));
    cell->owner = (uint8_t) (mine > other ? left + 1 : cell->owner + other);
}

#ifndef __CUDACC__
static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("owner", "", ENGINE_STATE, ENGINE_U8, 2), .reach = {1, 1, 0}},
    {ENGINE_GRID_FIELD("charge", "", ENGINE_STATE, ENGINE_I16, 2), .reach = {1, 1, 0}},
};

/* The cells of an owner, and the sum of all charges, by a loop over the whole grid. */
static int64_t total(const struct place *place, int owner)
{
    const uint64_t *extent = engine_field_shape(place->call->plan, 0)->extent;
    struct place at = *place;
    int64_t sum = 0;
    for (at.y = 0; at.y < (int64_t) extent[1]; at.y++)
        for (at.x = 0; at.x < (int64_t) extent[0]; at.x++)
            sum += owner < 0 ? (int64_t) plain_read(&at, 1, 0, 0, 0, 0)
                             : (int) plain_read(&at, 0, 0, 0, 0, 0) % (NUMBER - 1) == owner;
    return sum;
}

static void plain(const struct place *place)
{
    static int64_t totals[NUMBER]; /* of this step: one thread computes the cells in their order */
    for (int k = 0; place->x + place->y == 0 && k < NUMBER; k++)
        totals[k] = total(place, k < NUMBER - 1 ? k : -1);
    const int owner = (int) plain_read(place, 0, 0, 0, 0, 0), left = (int) plain_read(place, 0, 0, -1, 1, 0);
    const int64_t mine = totals[owner % (NUMBER - 1)], other = totals[left % (NUMBER - 1)];
    const int64_t charge = (int64_t) plain_read(place, 1, 0, 0, 0, 0) + (int64_t) plain_read(place, 1, 0, 1, 0, 0);
    plain_write(place, 0, 0, (double) ((mine > other ? left + 1 : owner + other) & 255));
    plain_write(place, 1, 0, (double) (int16_t) (uint16_t) (charge + totals[NUMBER - 1]));
}
#endif
