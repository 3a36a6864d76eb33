/* The edges of a plan's grid. */
#ifndef LIFE_EDGES_H
#define LIFE_EDGES_H

#include <engine/edges.h>
#include <life/dead_axes.h>

/* The axes with dead edges: LIFE_DEAD_X and so on. */
static inline uint32_t life_dead_axes(const struct engine_plan *plan)
{
    uint32_t dead = 0;
    for (uint32_t axis = 0; axis < 3; axis++)
        dead |= engine_plan_edge(plan, axis) == ENGINE_EDGE_DEAD ? 1u << axis : 0;
    return dead;
}

#endif
