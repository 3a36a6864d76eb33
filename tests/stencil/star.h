/* Three axes, a star: coupled logistic maps in floats, and a byte that sees the place. NUMBER: the reach. */
#define STENCIL_AXES  3
#define STENCIL_REACH NUMBER
#define STENCIL_STAR
#define STENCIL_CELL(member) member(float, level) member(uint8_t, cells)
#define STENCIL_DIVISIBLE
#include <engine/stencil.h>

struct rule {
    float share;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {1 / 8.0f};
    (void) plan;
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    float sum = 2 * cell->level;
    int places = (int) (near->x + 3 * near->y + 9 * near->z);
    for (int sign = -1; sign <= 1; sign += 2) {
        sum += engine_at(near, sign * NUMBER, 0, 0).level;
        sum += engine_at(near, 0, sign * NUMBER, 0).level;
        sum += engine_at(near, 0, 0, sign * NUMBER).level;
        places += sign * engine_at(near, 0, 0, sign).cells + engine_at(near, 0, sign, 0).cells;
        places += 2 * engine_at(near, sign, 0, 0).cells;
    }
    const float mean = sum * rule->share;
    cell->level = 3.9f * mean * (1 - mean);
    cell->cells = (uint8_t) (places & 255);
}

#ifndef __CUDACC__
enum { LEVEL, CELLS };

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("level", "", ENGINE_STATE, ENGINE_F32, 3), .reach = {NUMBER, NUMBER, NUMBER}},
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 3), .reach = {NUMBER, NUMBER, NUMBER}},
};

static void plain(const struct place *place)
{
    static const int order[6][3] = {{-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const float own = (float) plain_read(place, LEVEL, 0, 0, 0, 0);
    float sum = own + own;
    long places = place->x + 3 * place->y + 9 * place->z;
    for (int i = 0; i < 6; i++) {
        const int *at = order[i];
        const long found = (long) plain_read(place, CELLS, 0, at[0], at[1], at[2]);
        sum += (float) plain_read(place, LEVEL, 0, NUMBER * at[0], NUMBER * at[1], NUMBER * at[2]);
        places += at[0] != 0 ? 2 * found : at[2] < 0 ? -found : found;
    }
    const float mean = sum / 8, product = 3.9f * mean, rest = 1 - mean, level = product * rest;
    plain_write(place, LEVEL, 0, (double) level);
    plain_write(place, CELLS, 0, (double) ((places % 256 + 256) % 256));
}
#endif
