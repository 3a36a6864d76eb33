/* Two axes, a square of neighbours: two integers of different sizes, and metrics. NUMBER: the reach. */
#define STENCIL_AXES         2
#define STENCIL_REACH        NUMBER
#define STENCIL_CELL(member) member(uint16_t, cells) member(uint32_t, wide)
#define STENCIL_SUMS         2
#define STENCIL_DIVISIBLE
#include <engine/stencil.h>

struct rule {
    uint32_t factor;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {2654435761u};
    (void) plan;
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    uint32_t sum = 0;
    for (int y = -NUMBER; y <= NUMBER; y++)
        for (int x = -NUMBER; x <= NUMBER; x++)
            sum += (uint32_t) engine_at(near, x, y).cells * (uint32_t) (x + 2 * NUMBER * y + 100);
    cell->wide = sum * rule->factor ^ engine_at(near, NUMBER, -NUMBER).wide >> 3;
    cell->cells = (uint16_t) (cell->wide >> 16);
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    (void) rule;
    sums[0] += cell->cells;
    sums[1] += cell->cells % 2 == 0;
}

#ifndef __CUDACC__
enum { CELLS, WIDE };

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U16, 2), .reach = {NUMBER, NUMBER, 0}},
    {ENGINE_GRID_FIELD("wide", "", ENGINE_STATE, ENGINE_U32, 2), .reach = {NUMBER, NUMBER, 0}},
};

static void plain(const struct place *place)
{
    uint64_t sum = 0;
    for (int x = NUMBER; x >= -NUMBER; x--)
        for (int y = NUMBER; y >= -NUMBER; y--)
            sum += (uint64_t) plain_read(place, CELLS, 0, x, y, 0) * (uint64_t) (x + 2 * NUMBER * y + 100);
    const uint64_t product = sum * 2654435761u % 4294967296u;
    const uint64_t wide = product ^ (uint64_t) plain_read(place, WIDE, 0, NUMBER, -NUMBER, 0) / 8;
    plain_write(place, WIDE, 0, (double) wide);
    plain_write(place, CELLS, 0, (double) (wide / 65536));
}
#endif
