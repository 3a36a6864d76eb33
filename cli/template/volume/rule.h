/* @NAME@: the rule, which the CPU and the GPU compile from here. engine/stencil.h explains everything in this file. */
#define STENCIL_AXES         3
#define STENCIL_REACH        1
#define STENCIL_STAR         /* no neighbours at edges and corners */
#define STENCIL_DIVISIBLE    /* several GPUs may share a run */
#define STENCIL_CELL(member) member(float, temperature)
#define STENCIL_SUMS         2 /* the metrics */
#include <engine/stencil.h>

#include <math.h>

/* Indices of the tables in plugin.c. */
enum { TEMPERATURE };
enum { RATE };
enum { MEAN, SQUARE };

/* The numbers that a step needs. The engine's headers read them once for each call. */
struct rule {
    float rate;
    double per_cell; /* 1 / the number of cells */
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const uint64_t *extent = plan->part.whole; /* of the grid, also in a run that is divided */
    const struct rule rule = {(float) engine_param_real(plan, RATE),
                              1 / ((double) extent[0] * (double) extent[1] * (double) extent[2])};
    return rule;
}

/* Replaces a cell's value by its next value. The six neighbours exist at every face, because the engine fills the cells
 * beyond it. fmaf rounds once, on every machine. */
ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    const float around = (engine_at(near, -1, 0, 0).temperature + engine_at(near, 1, 0, 0).temperature) +
                         (engine_at(near, 0, -1, 0).temperature + engine_at(near, 0, 1, 0).temperature) +
                         (engine_at(near, 0, 0, -1).temperature + engine_at(near, 0, 0, 1).temperature);
    cell->temperature = fmaf(rule->rate, fmaf(-6, cell->temperature, around), cell->temperature);
}

/* Adds a cell's contribution to each metric. */
ENGINE_INLINE void tally(const struct rule *rule, const struct engine_values *cell, double *sums)
{
    sums[MEAN] += rule->per_cell * (double) cell->temperature;
    sums[SQUARE] += rule->per_cell * (double) cell->temperature * (double) cell->temperature;
}
