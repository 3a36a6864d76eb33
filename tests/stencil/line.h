/* One axis: a byte, and a field of two components of another type. NUMBER: the reach. */
#define STENCIL_AXES         1
#define STENCIL_REACH        NUMBER
#define STENCIL_CELL(member) member(uint8_t, cells) member(int16_t, left) member(int16_t, right)
#include <engine/stencil.h>

struct rule {
    int turn;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {3};
    (void) plan;
    return rule;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    int sum = 0;
    for (int x = -NUMBER; x <= NUMBER; x++)
        sum += rule->turn * engine_at(near, x).cells + x;
    const int16_t left = engine_at(near, -NUMBER).right, right = engine_at(near, NUMBER).left;
    cell->cells = (uint8_t) (sum % 251 + (left < right));
    cell->left = (int16_t) (left / 2 + sum - (int) near->x);
    cell->right = (int16_t) (right / 2 - sum);
}

#ifndef __CUDACC__
enum { CELLS, PAIR };

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("cells", "", ENGINE_STATE, ENGINE_U8, 1), .reach = {NUMBER, 0, 0}},
    {.name = "pair",
     .help = "",
     .kind = ENGINE_GRID,
     .role = ENGINE_STATE,
     .type = ENGINE_I16,
     .components = 2,
     .rank = 1,
     .reach = {NUMBER, 0, 0}},
};

static void plain(const struct place *place)
{
    long sum = 0;
    for (int x = NUMBER; x >= -NUMBER; x--)
        sum += 3 * (long) plain_read(place, CELLS, 0, x, 0, 0);
    const long left = (long) plain_read(place, PAIR, 1, -NUMBER, 0, 0),
               right = (long) plain_read(place, PAIR, 0, NUMBER, 0, 0);
    plain_write(place, CELLS, 0, (double) ((sum % 251 + (left < right ? 1 : 0)) % 256));
    plain_write(place, PAIR, 0, (int16_t) (left / 2 + sum - place->x));
    plain_write(place, PAIR, 1, (int16_t) (right / 2 - sum));
}
#endif
