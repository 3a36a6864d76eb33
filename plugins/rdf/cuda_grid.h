/* The order of particles that makes tiles compact, for `cuda`: columns of about a tile's thickness, and cells along
 * each of them, numbered to and fro so that each cell touches the next. 256 consecutive particles then lie in a cuboid
 * that is nearly a cube; along the curves of Morton and Hilbert, which know no tile, in one of 4 to 5 and 1.7 times its
 * volume. */
#ifndef RDF_CUDA_GRID_H
#define RDF_CUDA_GRID_H

#include "cuda_reach.h"
#include "cuda_tiles.h"

/* Cells for so many particles: those of several groups one after another fit where all together would. */
enum { RDF_CELL = 8, RDF_CELLS_MIN = 64 };

struct rdf_grid {
    float low[3], scale[3]; /* (a place - low) * scale is the number of a cell along an axis */
    uint32_t count[3];
    uint32_t along; /* the axis of the columns */
};

/* Of group number `group`, whose particles begin so. */
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

/* The edge of cubes that cut what the particles fill into so many tiles; an axis that is thinner is not cut. */
RDF_INLINE float rdf_tile_edge(const float extent[3], float tiles)
{
    float edge = 0;
    for (int axes = 0; axes < 3; axes++) { /* at most two axes turn out too thin */
        float sum = -log2f(tiles), cut = 0;
        for (int axis = 0; axis < 3; axis++)
            if (extent[axis] > edge)
                sum += log2f(extent[axis]), cut++;
        edge = cut > 0 ? exp2f(sum / cut) : 0;
    }
    return edge;
}

/* For particles within `bounds`. It has rdf_cells_of(particles) cells or fewer. */
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
        const float fit = rintf(extent[axis] / edge); /* no number where all are in one place */
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

RDF_INLINE uint32_t rdf_cell_along(const struct rdf_grid *grid, uint32_t axis, const float place[3])
{
    const float at = (place[axis] - grid->low[axis]) * grid->scale[axis];
    return (uint32_t) fminf(at, (float) (grid->count[axis] - 1));
}

/* `number` of `count`, backwards in every other row. */
RDF_INLINE uint32_t rdf_to_and_fro(uint32_t row, uint32_t number, uint32_t count)
{
    return row % 2 ? count - 1 - number : number;
}

/* The number of a place's cell. */
RDF_INLINE uint32_t rdf_grid_cell(const struct rdf_grid *grid, const float place[3])
{
    const uint32_t u = (grid->along + 1) % 3, v = (grid->along + 2) % 3, w = grid->along;
    const uint32_t row = rdf_cell_along(grid, u, place);
    const uint32_t column = row * grid->count[v] + rdf_to_and_fro(row, rdf_cell_along(grid, v, place), grid->count[v]);
    return column * grid->count[w] + rdf_to_and_fro(column, rdf_cell_along(grid, w, place), grid->count[w]);
}

#endif
