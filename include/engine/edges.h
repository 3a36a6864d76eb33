/* engine/edges.h - grids that are not a torus ([grid] edges), since 1.8.
 *
 * An implementation whose layout has ghosts needs to know nothing of edges: the engine fills the ghosts as the edges
 * say. If an axis is not a torus, the engine calls advance for one step at a time, because ghosts that advance computes
 * itself would be wrong. The engine refuses an implementation that wraps an axis itself (engine_layout.wraps) where
 * that axis is not a torus, except for ENGINE_DEAD_EDGES and ENGINE_SEPARATE_EDGES. */
#ifndef ENGINE_EDGES_H
#define ENGINE_EDGES_H

#include <engine/plugin.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A flag of an implementation: on the axes that it wraps itself, it honours ENGINE_EDGE_DEAD as well as the torus, for
 * any number of steps in a call. */
#define ENGINE_DEAD_EDGES (1 << 11)

/* The same for ENGINE_EDGE_DEAD, ENGINE_EDGE_FIXED and ENGINE_EDGE_MIRROR, since 1.13. */
#define ENGINE_SEPARATE_EDGES (1 << 13)

/* engine_edges.kind: what lies beyond the edges of the grid along an axis. */
enum {
    ENGINE_EDGE_TORUS = 0,    /* the cells at the other end of the axis */
    ENGINE_EDGE_DEAD = 1,     /* cells of value 0, at all times */
    ENGINE_EDGE_FIXED = 2,    /* cells of the field's engine_edges.value, at all times */
    ENGINE_EDGE_MIRROR = 3,   /* the cells before the edge, in reverse order: cell -1 holds the value of cell 0 */
    ENGINE_EDGE_TWISTED = 4,  /* two axes: the cells at the other end, in reverse order along the edge. If one axis is
                                twisted and the other one a torus, the grid is a Klein bottle; if both are twisted, a
                                cross-surface */
    ENGINE_EDGE_SPHERE = 5,   /* two axes of one extent, both a sphere: the top edge is joined to the left one, and the
                                bottom edge to the right one */
    ENGINE_EDGE_UNBOUNDED = 6 /* in files and configurations: there is no edge. A plugin sees a torus that no pattern
                                 fills (engine/tiles.h) */
};

/* The edges of the grid, or NULL in an engine of a version before 1.8, where every grid is a torus. */
static inline const struct engine_edges *engine_plan_edges(const struct engine_plan *plan)
{
    const size_t needed = offsetof(struct engine_plan, ENGINE_SINCE_1_8(edges)) + sizeof(struct engine_edges);
    return plan->size >= needed ? &plan->ENGINE_SINCE_1_8(edges) : NULL;
}

/* Returns what lies beyond the edges of an axis, 0 to 2: ENGINE_EDGE_…. */
static inline uint32_t engine_plan_edge(const struct engine_plan *plan, uint32_t axis)
{
    const struct engine_edges *edges = engine_plan_edges(plan);
    return edges ? edges->kind[axis] : (uint32_t) ENGINE_EDGE_TORUS;
}

/* Is every axis a torus, without a shift? */
static inline int engine_plan_is_torus(const struct engine_plan *plan)
{
    const struct engine_edges *edges = engine_plan_edges(plan);
    return !edges || (edges->kind[0] == ENGINE_EDGE_TORUS && edges->kind[1] == ENGINE_EDGE_TORUS &&
                      edges->kind[2] == ENGINE_EDGE_TORUS && edges->shift[0] == 0 && edges->shift[1] == 0);
}

#ifdef __cplusplus
}
#endif

#endif
