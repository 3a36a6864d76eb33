/* Three axes, a cube of neighbours. NUMBER: the reach. */
#define STENCIL_AXES         3
#define STENCIL_REACH        NUMBER
#define STENCIL_CELL(member) member(uint16_t, cells)
#define STENCIL_DIVISIBLE
#include <engine/stencil.h>

struct rule {
    uint32_t factor;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {40503};
    (void) plan;
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    uint32_t sum = 0;
    for (int z = -NUMBER; z <= NUMBER; z++)
        for (int y = -NUMBER; y <= NUMBER; y++)
            for (int x = -NUMBER; x <= NUMBER; x++)
                sum += (uint32_t) engine_at(near, x, y, z).cells * (uint32_t) (x + 5 * y + 25 * z + 200);
    cell->cells = (uint16_t) (sum * rule->factor >> 7);
}

#ifndef __CUDACC__
enum { CELLS };

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U16, 3), .reach = {NUMBER, NUMBER, NUMBER}},
};

static void plain(const struct place *place)
{
    uint64_t sum = 0;
    for (int x = -NUMBER; x <= NUMBER; x++)
        for (int y = -NUMBER; y <= NUMBER; y++)
            for (int z = -NUMBER; z <= NUMBER; z++)
                sum += (uint64_t) plain_read(place, CELLS, 0, x, y, z) * (uint64_t) (200 + x + 5 * y + 25 * z);
    plain_write(place, CELLS, 0, (double) (sum * 40503 % 4294967296u / 128 % 65536));
}
#endif
