/* Three axes, a cube of neighbours, inputs of one and of two components. NUMBER: the reach. */
#define STENCIL_AXES           3
#define STENCIL_REACH          NUMBER
#define STENCIL_CELL(member)   member(uint16_t, cells)
#define STENCIL_INPUTS(member) member(uint16_t, weight) member(uint8_t, first) member(uint8_t, second)
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
    sum += near->input.weight * (near->input.first + 2u) + near->input.second;
    cell->cells = (uint16_t) (sum * rule->factor >> 7);
}

#ifndef __CUDACC__
enum { CELLS, WEIGHT, TWO };

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U16, 3), .reach = {NUMBER, NUMBER, NUMBER}},
    {ENGINE_GRID_FIELD("weight", "", ENGINE_INPUT, ENGINE_U16, 3)},
    {.name = "two",
     .help = "",
     .kind = ENGINE_GRID,
     .role = ENGINE_INPUT,
     .type = ENGINE_U8,
     .components = 2,
     .rank = 3},
};

static void plain(const struct place *place)
{
    uint64_t sum = 0;
    for (int x = -NUMBER; x <= NUMBER; x++)
        for (int y = -NUMBER; y <= NUMBER; y++)
            for (int z = -NUMBER; z <= NUMBER; z++)
                sum += (uint64_t) plain_read(place, CELLS, 0, x, y, z) * (uint64_t) (200 + x + 5 * y + 25 * z);
    sum += (uint64_t) plain_read(place, WEIGHT, 0, 0, 0, 0) * (uint64_t) (plain_read(place, TWO, 0, 0, 0, 0) + 2);
    sum += (uint64_t) plain_read(place, TWO, 1, 0, 0, 0);
    plain_write(place, CELLS, 0, (double) (sum * 40503 % 4294967296u / 128 % 65536));
}
#endif
