/* @NAME@: the rule, which the CPU and the GPU compile from here. engine/stencil.h explains everything in this file. */
#define STENCIL_AXES         2
#define STENCIL_REACH        1
#define STENCIL_STAR         /* no neighbours at corners */
#define STENCIL_DIVISIBLE    /* several GPUs may share a run */
#define STENCIL_CELL(member) member(float, height) member(float, velocity)
#define STENCIL_SUMS         2 /* the metrics */
#include <engine/stencil.h>

#include <math.h>

/* Indices of the tables in plugin.c. The fields are in the order of the members of STENCIL_CELL. */
enum { HEIGHT, VELOCITY };
enum { SPEED };
enum { MEAN, SQUARE };

/* The numbers that a step needs. The engine's headers read them once for each call. */
struct rule {
    float square;    /* of the speed */
    double per_cell; /* 1 / the number of cells */
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const double speed = engine_param_real(plan, SPEED);
    const uint64_t *extent = plan->part.whole; /* of the grid, also in a run that is divided */
    const struct rule rule = {(float) (speed * speed), 1 / ((double) extent[0] * (double) extent[1])};
    return rule;
}

/* Replaces a cell's values by its next values. The four neighbours exist at every edge, because the engine fills
 * the cells beyond it. The neighbours pull the cell up or down; then it moves. fmaf rounds once, on every machine. */
ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const float around = (engine_at(near, -1, 0).height + engine_at(near, 1, 0).height) +
                         (engine_at(near, 0, -1).height + engine_at(near, 0, 1).height);
    cell->velocity = fmaf(rule->square, fmaf(-4, cell->height, around), cell->velocity);
    cell->height += cell->velocity;
}

/* Adds a cell's contribution to each metric. */
ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    sums[MEAN] += rule->per_cell * (double) cell->height;
    sums[SQUARE] += rule->per_cell * (double) cell->height * (double) cell->height;
}
