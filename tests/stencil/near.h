/* Inputs of neighbours, outputs, the number of the step, and another reach along each axis. NUMBER: the axes, and 4 or 5
 * for 2 or 3 axes with inputs of the cell alone, which a GPU takes from registers. */
#define AXES            (NUMBER > 3 ? NUMBER - 2 : NUMBER)
#define STENCIL_AXES    AXES
#define STENCIL_REACH   1
#define STENCIL_REACH_X 2
#define STENCIL_REACH_Y (AXES == 2 ? 3 : 1)
#define STENCIL_REACH_Z 2
#define STENCIL_DIVISIBLE
#define STENCIL_CELL(member)   member(uint32_t, level)
#define STENCIL_INPUTS(member) member(uint8_t, wall) member(uint16_t, left) member(uint16_t, right)
#if NUMBER <= 3
#define STENCIL_INPUTS_NEAR
#endif
#define STENCIL_OUTPUTS(member) member(uint32_t, sum) member(uint16_t, low) member(uint16_t, high)
#define STENCIL_SHOWS(rule)     ((rule)->factor > 0)
#define STENCIL_STEP
#define STENCIL_SUMS 2
#if AXES == 1
#undef STENCIL_DIVISIBLE
#endif
#include <engine/stencil.h>

#if AXES == 3
#define PLACE(x, y, z) x, y, z
#elif AXES == 2
#define PLACE(x, y, z) x, (y) *3
#else
#define PLACE(x, y, z) x
#endif
#define AT_PLACE(...) engine_at(near, __VA_ARGS__)
#define AT(x, y, z)   AT_PLACE(PLACE(x, y, z))
#ifdef STENCIL_INPUTS_NEAR
#define INPUT_AT_PLACE(...) engine_input_at(near, __VA_ARGS__)
#define INPUT_AT(x, y, z)   INPUT_AT_PLACE(PLACE(x, y, z))
#else
#define INPUT_AT(x, y, z) near->input
#endif

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
    const uint32_t inputs = 3u * INPUT_AT(-2, 1, 1).wall + 5u * INPUT_AT(1, -1, 2).left +
                            7u * INPUT_AT(2, 0, -1).right + 11u * near->input.wall;
    const uint32_t around = AT(2, 1, -2).level * 13u + (AT(-1, -1, 1).level ^ AT(-2, 0, 0).level);
    cell->level = (around + inputs + (uint32_t) near->step) * rule->factor >> 3;
}

ENGINE_INLINE void show(const struct rule *rule, const struct engine_near *near, const struct engine_cell *cell,
                        struct engine_shown *shown)
{
    (void) rule;
    shown->sum = cell->level + AT(1, 1, 0).level + INPUT_AT(-1, 0, 0).left;
    shown->low = (uint16_t) cell->level;
    shown->high = (uint16_t) (AT(0, 0, 0).level + near->step);
}

ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    (void) rule;
    sums[0] += cell->level;
    sums[1] += cell->level % 2 == 0;
}

#ifndef __CUDACC__
enum { LEVEL, WALL, SIDES };

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("level", "", ENGINE_STATE, ENGINE_U32, AXES),
     .reach = {2, AXES == 2 ? 3 : AXES == 3, AXES == 3 ? 2 : 0}},
    {ENGINE_GRID_FIELD("wall", "", ENGINE_INPUT, ENGINE_U8, AXES)},
    {.name = "sides",
     .help = "",
     .kind = ENGINE_GRID,
     .role = ENGINE_INPUT,
     .type = ENGINE_U16,
     .components = 2,
     .rank = AXES},
    {ENGINE_GRID_FIELD("sum", "", ENGINE_OUTPUT, ENGINE_U32, AXES)},
    {.name = "halves",
     .help = "",
     .kind = ENGINE_GRID,
     .role = ENGINE_OUTPUT,
     .type = ENGINE_U16,
     .components = 2,
     .rank = AXES},
};

static uint32_t read_number(const struct place *place, uint32_t field, uint32_t component, int x, int y, int z)
{
    const int far = NUMBER <= 3 || field == LEVEL;
    return (uint32_t) plain_read(place, field, component, far ? x : 0,
                                 !far || AXES == 1 ? 0
                                 : AXES == 2       ? 3 * y
                                                   : y,
                                 far && AXES == 3 ? z : 0);
}

static void plain(const struct place *place)
{
    const uint32_t step = (uint32_t) place->call->first_step;
    const uint32_t inputs = 3 * read_number(place, WALL, 0, -2, 1, 1) + 5 * read_number(place, SIDES, 0, 1, -1, 2) +
                            7 * read_number(place, SIDES, 1, 2, 0, -1) + 11 * read_number(place, WALL, 0, 0, 0, 0);
    const uint32_t around = read_number(place, LEVEL, 0, 2, 1, -2) * 13 +
                            (read_number(place, LEVEL, 0, -1, -1, 1) ^ read_number(place, LEVEL, 0, -2, 0, 0));
    const uint32_t level = (around + inputs + step) * 40503 / 8;
    plain_write(place, LEVEL, 0, level);
    plain_write(place, 3, 0, level + read_number(place, LEVEL, 0, 1, 1, 0) + read_number(place, SIDES, 0, -1, 0, 0));
    plain_write(place, 4, 0, level % 65536);
    plain_write(place, 4, 1, (read_number(place, LEVEL, 0, 0, 0, 0) + step) % 65536);
}
#endif
