/* Particles put in order on the device: by group, and where pairs are to be left out, by the cells of a grid as well.
 *
 * Sorting is by counting: particles of each cell, a sum over all cells before each (CUB's), and a place among them for
 * each particle, in any order within a cell: sums of whole numbers do not care. */
#include "cuda_grid.h"
#include "cuda_place.h"

#include <cub/device/device_scan.cuh>

constexpr int THREADS = 256, WARPS = THREADS / 32;

static __device__ uint32_t thread_number()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

static __global__ void take_census(const __grid_constant__ rdf_view view, const int32_t *group_species)
{
    const uint32_t i = thread_number();
    const uint32_t group = i < view.particles ? rdf_group_of(view, group_species, i) : RDF_NO_GROUP;
    if (group != RDF_NO_GROUP)
        atomicAdd(&view.census->sizes[group], 1);
}

/* One thread. */
static __global__ void begin_groups(const __grid_constant__ rdf_view view)
{
    uint32_t begin = 0;
    for (uint32_t group = 0; group < view.group_count; group++) {
        view.census->begin[group] = begin;
        begin += view.census->sizes[group];
    }
}

static __global__ void place_particles(const __grid_constant__ rdf_view view, const int32_t *group_species)
{
    const uint32_t i = thread_number();
    if (i >= view.particles)
        return;
    const uint32_t group = rdf_group_of(view, group_species, i);
    const float4 place = rdf_place_of(view, i);
    if (view.everything)
        view.place[i] = place;
    else if (group != RDF_NO_GROUP)
        view.place[view.census->begin[group] + atomicAdd(&view.census->placed[group], 1)] = place;
}

static cudaError_t take_groups(const rdf_solver *solver, const rdf_view &view, cudaStream_t stream)
{
    if (view.everything)
        return cudaSuccess;
    take_census<<<rdf_divide_up(view.particles, THREADS), THREADS, 0, stream>>>(view, solver->group_species);
    RDF_TRY(cudaGetLastError());
    begin_groups<<<1, 1, 0, stream>>>(view);
    return cudaGetLastError();
}

cudaError_t rdf_place_all(const rdf_solver *solver, const rdf_view &view, cudaStream_t stream)
{
    RDF_TRY(cudaMemsetAsync(view.census, 0, sizeof *view.census, stream));
    RDF_TRY(take_groups(solver, view, stream));
    place_particles<<<rdf_divide_up(view.particles, THREADS), THREADS, 0, stream>>>(view, solver->group_species);
    return cudaGetLastError();
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------ */

/* Floats as whole numbers in the same order; 0 is less than any. */
static __device__ uint32_t to_ordered(float value)
{
    const uint32_t bits = __float_as_uint(value);
    return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

static __device__ float from_ordered(uint32_t ordered)
{
    return __uint_as_float(ordered & 0x80000000 ? ordered & 0x7fffffff : ~ordered);
}

/* Takes a place in. */
static __device__ void extend(rdf_extent *extent, float4 place)
{
    const float at[3] = {place.x, place.y, place.z};
    for (int axis = 0; axis < 3; axis++) {
        extent->above[axis] = max(extent->above[axis], to_ordered(at[axis]));
        extent->below[axis] = max(extent->below[axis], to_ordered(-at[axis]));
    }
}

/* That of all lanes. */
static __device__ rdf_extent extent_of_warp(const rdf_extent &own)
{
    rdf_extent extent;
    for (int axis = 0; axis < 3; axis++) {
        extent.above[axis] = __reduce_max_sync(~0u, own.above[axis]);
        extent.below[axis] = __reduce_max_sync(~0u, own.below[axis]);
    }
    return extent;
}

static __device__ rdf_bounds bounds_of(const rdf_extent &extent)
{
    rdf_bounds bounds;
    for (int axis = 0; axis < 3; axis++) {
        bounds.high[axis] = from_ordered(extent.above[axis]);
        bounds.low[axis] = -from_ordered(extent.below[axis]);
    }
    return bounds;
}

/* An old value that is read costs an addition to memory more, no more. */
static __device__ void lift(uint32_t *most, uint32_t value)
{
    if (value > *most)
        atomicMax(most, value);
}

/* How far particles reach along open axes. */
static __global__ void find_extent(const __grid_constant__ rdf_view view, const int32_t *group_species)
{
    const uint32_t i = thread_number();
    rdf_extent own = {};
    if (i < view.particles && rdf_group_of(view, group_species, i) != RDF_NO_GROUP)
        extend(&own, rdf_place_of(view, i));
    const rdf_extent extent = extent_of_warp(own);
    if (threadIdx.x % 32 != 0)
        return;
    for (int axis = 0; axis < 3; axis++) {
        lift(&view.census->extent.above[axis], extent.above[axis]);
        lift(&view.census->extent.below[axis], extent.below[axis]);
    }
}

/* What holds all particles: the box, or what they fill. */
static __device__ rdf_bounds bounds_of_all(const rdf_view &view)
{
    rdf_bounds bounds = bounds_of(view.census->extent);
    for (int axis = 0; axis < 3; axis++)
        if (view.box.periodic[axis])
            bounds.low[axis] = 0, bounds.high[axis] = view.box.edge[axis];
    return bounds;
}

/* A warp a tile of group number blockIdx.y. */
static __global__ void bound_tiles(const __grid_constant__ rdf_view view)
{
    const uint32_t group = blockIdx.y, tile = blockIdx.x * WARPS + threadIdx.x / 32;
    const uint32_t begin = rdf_begin_of(view, group), size = rdf_size_of(view, group);
    const uint32_t end = min(size, (tile + 1) * RDF_TILE);
    if (tile * RDF_TILE >= size)
        return;
    rdf_extent own = {};
    for (uint32_t k = tile * RDF_TILE + threadIdx.x % 32; k < end; k += 32)
        extend(&own, view.place[begin + k]);
    const rdf_extent extent = extent_of_warp(own);
    if (threadIdx.x % 32 == 0)
        view.bounds[rdf_tiles_begin(group, begin) + tile] = bounds_of(extent);
}

/* ---- Sorting ----------------------------------------------------------------------------------------------------- */

constexpr uint32_t NO_CELL = UINT32_MAX;

static __device__ uint32_t cell_of(const rdf_view &view, uint32_t group, float4 place)
{
    const float at[3] = {place.x, place.y, place.z};
    const rdf_bounds bounds = bounds_of_all(view);
    const rdf_grid grid = rdf_grid_of(&bounds, rdf_size_of(view, group));
    return rdf_cells_begin(group, rdf_begin_of(view, group)) + rdf_grid_cell(&grid, at);
}

/* Counts particles in cells, and keeps their places, with the cell in w. */
static __global__ void count_cells(const __grid_constant__ rdf_view view, const int32_t *group_species,
                                   const __grid_constant__ rdf_order order)
{
    const uint32_t i = thread_number();
    if (i >= view.particles)
        return;
    const uint32_t group = rdf_group_of(view, group_species, i);
    float4 place = rdf_place_of(view, i);
    const uint32_t cell = group == RDF_NO_GROUP ? NO_CELL : cell_of(view, group, place);
    if (cell != NO_CELL)
        atomicAdd(&order.cells[cell], 1);
    place.w = __uint_as_float(cell);
    order.unsorted[i] = place;
}

/* Where its cell begins, and behind those that came before. */
static __global__ void sort_particles(const __grid_constant__ rdf_view view, const __grid_constant__ rdf_order order)
{
    const uint32_t i = thread_number();
    const float4 place = i < view.particles ? order.unsorted[i] : make_float4(0, 0, 0, __uint_as_float(NO_CELL));
    const uint32_t cell = __float_as_uint(place.w);
    if (cell != NO_CELL)
        view.place[atomicAdd(&order.cells[cell], 1)] = place;
}

cudaError_t rdf_place_sorted(const rdf_solver *solver, const rdf_view &view, cudaStream_t stream)
{
    const rdf_order &order = solver->order;
    const uint32_t blocks = rdf_divide_up(view.particles, THREADS), tiles = rdf_tile_count(view.particles);
    size_t scan_bytes = order.scan_bytes;
    /* the cells stand behind the census */
    RDF_TRY(cudaMemsetAsync(view.census, 0, sizeof *view.census + order.cell_count * sizeof *order.cells, stream));
    RDF_TRY(take_groups(solver, view, stream));
    if (!view.box.periodic[0] || !view.box.periodic[1] || !view.box.periodic[2])
        find_extent<<<blocks, THREADS, 0, stream>>>(view, solver->group_species);
    RDF_TRY(cudaGetLastError());
    count_cells<<<blocks, THREADS, 0, stream>>>(view, solver->group_species, order);
    RDF_TRY(cudaGetLastError());
    RDF_TRY(cub::DeviceScan::ExclusiveSum(order.scan, scan_bytes, order.cells, order.cells, (int) order.cell_count,
                                          stream));
    sort_particles<<<blocks, THREADS, 0, stream>>>(view, order);
    RDF_TRY(cudaGetLastError());
    bound_tiles<<<dim3(rdf_divide_up(tiles, WARPS), view.group_count), THREADS, 0, stream>>>(view);
    return cudaGetLastError();
}

/* ---- The start --------------------------------------------------------------------------------------------------- */

cudaError_t rdf_scan_bytes(uint32_t cells, size_t *bytes)
{
    return cub::DeviceScan::ExclusiveSum(nullptr, *bytes, (uint32_t *) nullptr, (uint32_t *) nullptr, (int) cells);
}
