/* Two axes, bit planes: every operator of engine_states. NUMBER: the bits. */
#define STENCIL_AXES         2
#define STENCIL_REACH        1
#define STENCIL_CELL(member) member(engine_states, cells)
#define STENCIL_BITS         NUMBER
#define STENCIL_DIVISIBLE
#include <engine/stencil.h>

enum { MOST = (1 << NUMBER) - 1 };

struct rule {
    int limit;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {MOST / 2 + 1};
    (void) plan;
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const engine_states west = engine_at(near, -1, 0).cells, east = engine_at(near, 1, 0).cells;
    const engine_states north = engine_at(near, 0, -1).cells, south = engine_at(near, 0, 1).cells;
    engine_states sum = 0, high = 0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++) {
            sum += engine_at(near, x, y).cells;
            high += engine_at(near, x, y).cells >= rule->limit;
        }
    const engine_states down = west - south; /* from 0 to 255 */
    const engine_states mixed = (north & east) | (west ^ south);
    const engine_mask first = (west < east && !(north == south)) || high == 3;
    const engine_mask second = down > sum || cell->cells <= 1;
    const engine_states a = engine_if(first, sum + high, down);
    const engine_states b = engine_if(second, mixed, a ^ high);
    cell->cells = engine_if(west != north, a, b) & MOST;
}

#ifndef __CUDACC__
enum { CELLS };

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 2), .values = MOST + 1, .reach = {1, 1, 0}},
};

static int plain_cell(const struct place *place, int x, int y)
{
    return (int) plain_read(place, CELLS, 0, x, y, 0);
}

static void plain(const struct place *place)
{
    const int west = plain_cell(place, -1, 0), east = plain_cell(place, 1, 0);
    const int north = plain_cell(place, 0, -1), south = plain_cell(place, 0, 1);
    int sum = 0, high = 0;
    for (int i = 0; i < 9; i++) {
        const int value = plain_cell(place, i % 3 - 1, i / 3 - 1);
        sum = (sum + value) % 256;
        high += value > MOST / 2;
    }
    const int down = (west + 256 - south) % 256;
    int a = down, b;
    if ((west < east && north != south) || high == 3)
        a = (sum + high) % 256;
    if (down > sum || plain_cell(place, 0, 0) < 2)
        b = (north & east) | (west ^ south);
    else
        b = a ^ high;
    plain_write(place, CELLS, 0, (west == north ? b : a) % (MOST + 1));
}
#endif
