/* Maxwell's equations in two dimensions on Yee's staggered grid, in double precision. The magnetic field takes its half
 * step first, and the electric field needs the new magnetic field of two neighbours: `next` computes theirs again. */
#define STENCIL_AXES  2
#define STENCIL_REACH 1
#define STENCIL_DIVISIBLE
#define STENCIL_CELL(member) member(double, ez) member(double, hx) member(double, hy)
#include <engine/stencil.h>

struct rule {
    double rate;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {0.5};
    (void) plan;
    return rule;
}

/* The magnetic field of a neighbour after its half step. */
#define NEW_HX(x, y) \
    (engine_at(near, x, y).hx - rule->rate * (engine_at(near, x, (y) + 1).ez - engine_at(near, x, y).ez))
#define NEW_HY(x, y) \
    (engine_at(near, x, y).hy + rule->rate * (engine_at(near, (x) + 1, y).ez - engine_at(near, x, y).ez))

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    cell->hx = NEW_HX(0, 0);
    cell->hy = NEW_HY(0, 0);
    cell->ez += rule->rate * ((cell->hy - NEW_HY(-1, 0)) - (cell->hx - NEW_HX(0, -1)));
}

#ifndef __CUDACC__
static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("ez", "", ENGINE_STATE, ENGINE_F64, 2), .reach = {1, 1, 0}},
    {ENGINE_GRID_FIELD("hx", "", ENGINE_STATE, ENGINE_F64, 2), .reach = {1, 1, 0}},
    {ENGINE_GRID_FIELD("hy", "", ENGINE_STATE, ENGINE_F64, 2), .reach = {1, 1, 0}},
};

static double half_step(const struct place *place, uint32_t field, int x, int y)
{
    const double here = plain_read(place, 0, 0, x, y, 0);
    const double change = 0.5 * (plain_read(place, 0, 0, x + (field == 2), y + (field == 1), 0) - here);
    return plain_read(place, field, 0, x, y, 0) + (field == 1 ? -change : change);
}

static void plain(const struct place *place)
{
    const double hx = half_step(place, 1, 0, 0), hy = half_step(place, 2, 0, 0);
    const double curl = (hy - half_step(place, 2, -1, 0)) - (hx - half_step(place, 1, 0, -1));
    plain_write(place, 1, 0, hx);
    plain_write(place, 2, 0, hy);
    plain_write(place, 0, 0, plain_read(place, 0, 0, 0, 0, 0) + 0.5 * curl);
}
#endif
