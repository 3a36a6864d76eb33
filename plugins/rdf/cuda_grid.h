/* The order of particles that makes tiles compact, for `cuda`: columns about as thick as a tile, each cut into thin
 * cells. Columns and cells are numbered in a serpentine, so that each cell touches the next:
 *
 *     columns, seen from one end       cells along columns 0, 1 and 2, seen from the side
 *
 *         0 -> 1 -> 2                     0 -> 1 -> 2 -> 3
 *                   |                                    |
 *         5 <- 4 <- 3                     7 <- 6 <- 5 <- 4
 *         |                               |
 *         6 -> 7 -> 8                     8 -> 9 -> ...
 *
 * Then 256 consecutive particles lie in a cuboid that is nearly a cube. Along the curves of Morton and Hilbert, which
 * know nothing of tiles, its volume is larger (docs/lab/rdf.md). */
#ifndef RDF_CUDA_GRID_H
#define RDF_CUDA_GRID_H

#include "cuda_bounds.h"
#include "cuda_tiles.h"

/* A group of n particles has up to RDF_CELLS_MIN + n / RDF_CELL cells. So the cells of all groups, one after another,
 * fit into memory for groups * RDF_CELLS_MIN + particles / RDF_CELL. */
enum { RDF_CELL = 8, RDF_CELLS_MIN = 64 };

struct rdf_grid {
    float low[3], scale[3]; /* (a position - low) * scale is the number of a cell along an axis */
    uint32_t count[3];
    uint32_t along; /* the axis of the columns */
};

/* The first cell of a group. */
RDF_INLINE uint32_t rdf_cells_begin(uint32_t group, uint32_t particles_before)
{
    return group * RDF_CELLS_MIN + particles_before / RDF_CELL;
}

RDF_INLINE uint32_t rdf_cells_of(uint32_t particles)
{
    return RDF_CELLS_MIN + particles / RDF_CELL;
}

RDF_INLINE uint32_t rdf_longest_axis(const float extent[3])
{
    const uint32_t xy = extent[1] > extent[0];
    return extent[2] > extent[xy] ? 2 : xy;
}

/* The edge of the cubes that cut a cuboid into `tiles` of them. An axis that is thinner than a cube is not cut. */
RDF_INLINE float rdf_tile_edge(const float extent[3], float tiles)
{
    float edge = 0;
    for (int axes = 0; axes < 3; axes++) { /* at most two axes are too thin */
        float sum = -log2f(tiles), cut = 0;
        for (int axis = 0; axis < 3; axis++)
            if (extent[axis] > edge)
                sum += log2f(extent[axis]), cut++;
        edge = cut > 0 ? exp2f(sum / cut) : 0;
    }
    return edge;
}

/* The grid for particles within `bounds`. It has at most rdf_cells_of(particles) cells. */
RDF_INLINE struct rdf_grid rdf_grid_of(const struct rdf_bounds *bounds, uint32_t particles)
{
    struct rdf_grid grid;
    float extent[3];
    uint32_t columns = 1;
    for (int axis = 0; axis < 3; axis++)
        extent[axis] = bounds->high[axis] - bounds->low[axis];
    const float edge = rdf_tile_edge(extent, (float) rdf_tile_count(particles));
    grid.along = rdf_longest_axis(extent);
    for (uint32_t axis = 0; axis < 3; axis++) {
        const uint32_t room = rdf_cells_of(particles) / columns;
        const float fit = rintf(extent[axis] / edge); /* NaN where all particles coincide */
        grid.count[axis] = axis != grid.along && fit > 1 ? (uint32_t) fminf(fit, (float) room) : 1;
        columns *= grid.count[axis];
    }
    grid.count[grid.along] = rdf_cells_of(particles) / columns;
    for (int axis = 0; axis < 3; axis++) {
        grid.low[axis] = bounds->low[axis];
        grid.scale[axis] = extent[axis] > 0 ? (float) grid.count[axis] / extent[axis] : 0;
    }
    return grid;
}

RDF_INLINE uint32_t rdf_cell_along(const struct rdf_grid *grid, uint32_t axis, const float position[3])
{
    const float at = (position[axis] - grid->low[axis]) * grid->scale[axis];
    return (uint32_t) fminf(at, (float) (grid->count[axis] - 1));
}

/* Number `number` of `count`, backwards in every other row. */
RDF_INLINE uint32_t rdf_serpentine(uint32_t row, uint32_t number, uint32_t count)
{
    return row % 2 ? count - 1 - number : number;
}

/* The number of the cell that a position is in. */
RDF_INLINE uint32_t rdf_grid_cell(const struct rdf_grid *grid, const float position[3])
{
    const uint32_t u = (grid->along + 1) % 3, v = (grid->along + 2) % 3, w = grid->along;
    const uint32_t row = rdf_cell_along(grid, u, position);
    const uint32_t column =
        row * grid->count[v] + rdf_serpentine(row, rdf_cell_along(grid, v, position), grid->count[v]);
    return column * grid->count[w] + rdf_serpentine(column, rdf_cell_along(grid, w, position), grid->count[w]);
}

#endif
