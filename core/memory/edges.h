/* What lies beyond the edges of a grid: which cell each ghost is a copy of. The host and the CUDA kernels share the
 * rules. */
#ifndef CORE_MEMORY_EDGES_H
#define CORE_MEMORY_EDGES_H

#include <engine/plugin.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __CUDACC__
#define EDGES_FUNCTION static __host__ __device__ inline
#else
#define EDGES_FUNCTION static inline
#endif

enum { EDGES_PATTERN = 16 }; /* bytes of the largest element */

struct edges {
    uint32_t kind[3]; /* ENGINE_EDGE_… of x, y and z */
    int64_t shift[2]; /* as in struct engine_edges */

    /* For each axis, the element of cells beyond a dead or fixed edge, again and again. Of bits, all bits are alike. */
    uint8_t beyond[3][EDGES_PATTERN];
};

/* Does a ghost beyond one edge depend on its place along that axis alone? Otherwise edges_find tells its source. */
EDGES_FUNCTION bool edges_are_separate(const struct edges *edges)
{
    bool separate = edges->shift[0] == 0 && edges->shift[1] == 0;
    for (int axis = 0; axis < 3; axis++)
        separate = separate && edges->kind[axis] < ENGINE_EDGE_TWISTED;
    return separate;
}

/* Returns the cell or slice of [0, extent) that the one at `at` beyond an edge copies; -1: none, the edge is dead or
 * fixed. For axes that are separate. */
EDGES_FUNCTION int64_t edges_source(uint32_t kind, int64_t at, uint64_t extent)
{
    const int64_t period = (int64_t) extent * (kind == ENGINE_EDGE_MIRROR ? 2 : 1);
    const int64_t place = (at % period + period) % period;
    if (kind == ENGINE_EDGE_DEAD || kind == ENGINE_EDGE_FIXED)
        return -1;
    return place < (int64_t) extent ? place : period - 1 - place;
}

/* The ghosts of an axis are numbered 0 … 2 ghost - 1. Returns the place of ghost i, in [-ghost, 0) or [extent, extent +
 * ghost). */
EDGES_FUNCTION int64_t edges_ghost(uint64_t i, uint64_t ghost, uint64_t extent)
{
    return i < ghost ? (int64_t) i - (int64_t) ghost : (int64_t) (extent + i - ghost);
}

/* Moves a cell that lies beyond the edge of axis `a` over this edge; `b` is the other axis. Returns false if there is
 * no cell, because the edge is dead or fixed. */
EDGES_FUNCTION bool edges_cross(const struct edges *edges, const uint64_t extent[2], int a, int b, int64_t at[2])
{
    const int64_t length = (int64_t) extent[a], width = (int64_t) extent[b], over = at[a], along = at[b];
    const bool before = over < 0;
    switch (edges->kind[a]) {
    case ENGINE_EDGE_SPHERE: /* top and left edge, bottom and right edge */
        at[b] = before ? -1 - over : width - 1 - (over - length);
        at[a] = along;
        return true;
    case ENGINE_EDGE_TORUS:
        at[a] += before ? length : -length;
        at[b] += before ? -edges->shift[b] : edges->shift[b];
        return true;
    case ENGINE_EDGE_TWISTED:
        at[a] += before ? length : -length;
        at[b] = width - 1 - along - edges->shift[b];
        return true;
    case ENGINE_EDGE_MIRROR:
        at[a] = edges_source(ENGINE_EDGE_MIRROR, over, extent[a]);
        return true;
    default:
        return false;
    }
}

/* Finds the cell of a grid of two axes that the one at `at` is a copy of, and returns -1. If there is none, returns the
 * axis of the dead or fixed edge beyond which it lies. */
EDGES_FUNCTION int edges_find(const struct edges *edges, const uint64_t extent[2], int64_t at[2])
{
    for (;;) {
        const int axis = at[1] < 0 || at[1] >= (int64_t) extent[1] ? 1 : 0;
        if (at[axis] >= 0 && at[axis] < (int64_t) extent[axis])
            return -1;
        if (!edges_cross(edges, extent, axis, !axis, at))
            return axis;
    }
}

#endif
