/* Sorts particles on the device: by group, and where pairs of tiles are to be left out, by the cells of a grid as well.
 *
 * It is a counting sort. The order within a cell is arbitrary and changes no count.
 *
 *     count_cells        particles of each cell             3  0  2  4
 *     exclusive sum      where each cell begins (CUB)       0  3  3  5
 *     sort_particles     each particle takes the next index of its cell */
#include "cuda_grid.h"
#include "cuda_sort.h"

#include <cub/device/device_scan.cuh>

constexpr int THREADS = 256, WARPS = THREADS / 32;

static __device__ uint32_t thread_number()
{
    return blockIdx.x * blockDim.x + threadIdx.x;
}

/* ---- Groups ------------------------------------------------------------------------------------------------------ */

static __global__ void set_groups(const __grid_constant__ rdf_view view, const int32_t *group_species)
{
    const uint32_t i = thread_number();
    if (i >= view.particles)
        return;
    const uint32_t group = view.groups.of[i] = rdf_own_group(view, group_species, i);
    if (view.groups.centres && group == view.groups.within_group)
        view.groups.centres[atomicAdd(&view.census->centres, 1)] = rdf_wrapped_of(view, i);
}

static __device__ bool is_near(const rdf_view &view, float4 at)
{
    for (uint32_t k = 0; k < view.census->centres; k++) {
        const float4 centre = view.groups.centres[k];
        if (sqrtf(rdf_square(&view.box, at.x - centre.x, at.y - centre.y, at.z - centre.z)) <= view.groups.within)
            return true;
    }
    return false;
}

/* Takes the particles that are too far away out of their groups. */
static __global__ void take_within(const __grid_constant__ rdf_view view)
{
    const uint32_t i = thread_number(), group = i < view.particles ? view.groups.of[i] : RDF_NO_GROUP;
    if (group != RDF_NO_GROUP && group != view.groups.within_group && !is_near(view, rdf_wrapped_of(view, i)))
        view.groups.of[i] = RDF_NO_GROUP;
}

/* A block first counts in shared memory: there are few groups, and each counter has one address. */
static __global__ void count_groups(const __grid_constant__ rdf_view view, const int32_t *group_species)
{
    __shared__ uint32_t sizes[RDF_GROUPS_MAX];
    const uint32_t i = thread_number();
    const uint32_t group = i < view.particles ? rdf_group_of(view, group_species, i) : RDF_NO_GROUP;
    for (uint32_t k = threadIdx.x; k < view.group_count; k += THREADS)
        sizes[k] = 0;
    __syncthreads();
    if (group != RDF_NO_GROUP)
        atomicAdd(&sizes[group], 1);
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < view.group_count; k += THREADS)
        if (sizes[k] > 0)
            atomicAdd(&view.census->sizes[k], sizes[k]);
}

/* Sets where each group begins. One thread. */
static __global__ void scan_groups(const __grid_constant__ rdf_view view)
{
    uint32_t begin = 0;
    for (uint32_t group = 0; group < view.group_count; group++) {
        view.census->begin[group] = begin;
        begin += view.census->sizes[group];
    }
}

static __global__ void scatter_by_group(const __grid_constant__ rdf_view view, const int32_t *group_species)
{
    const uint32_t i = thread_number();
    if (i >= view.particles)
        return;
    const uint32_t group = rdf_group_of(view, group_species, i);
    const float4 wrapped = rdf_wrapped_of(view, i);
    if (view.everything)
        view.wrapped[i] = wrapped;
    else if (group != RDF_NO_GROUP)
        view.wrapped[view.census->begin[group] + atomicAdd(&view.census->filled[group], 1)] = wrapped;
}

static cudaError_t find_groups(const rdf_solver *solver, const rdf_view &view, cudaStream_t stream)
{
    const uint32_t blocks = engine_cuda_blocks(view.particles, THREADS);
    if (view.everything)
        return cudaSuccess;
    if (view.groups.of)
        set_groups<<<blocks, THREADS, 0, stream>>>(view, solver->group_species);
    ENGINE_CUDA_TRY(cudaGetLastError());
    if (view.groups.centres)
        take_within<<<blocks, THREADS, 0, stream>>>(view);
    ENGINE_CUDA_TRY(cudaGetLastError());
    count_groups<<<blocks, THREADS, 0, stream>>>(view, solver->group_species);
    ENGINE_CUDA_TRY(cudaGetLastError());
    scan_groups<<<1, 1, 0, stream>>>(view);
    return cudaGetLastError();
}

cudaError_t rdf_group_particles(const rdf_solver *solver, const rdf_view &view, cudaStream_t stream)
{
    ENGINE_CUDA_TRY(cudaMemsetAsync(view.census, 0, sizeof *view.census, stream));
    ENGINE_CUDA_TRY(find_groups(solver, view, stream));
    scatter_by_group<<<engine_cuda_blocks(view.particles, THREADS), THREADS, 0, stream>>>(view, solver->group_species);
    return cudaGetLastError();
}

/* ---- Bounds ------------------------------------------------------------------------------------------------------ */

/* Floats as unsigned integers in the same order; 0 is below any. */
static __device__ uint32_t to_ordered(float value)
{
    const uint32_t bits = __float_as_uint(value);
    return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

static __device__ float from_ordered(uint32_t ordered)
{
    return __uint_as_float(ordered & 0x80000000 ? ordered & 0x7fffffff : ~ordered);
}

/* Extends an extent to a position. */
static __device__ void extend(rdf_extent *extent, float4 position)
{
    const float at[3] = {position.x, position.y, position.z};
    for (int axis = 0; axis < 3; axis++) {
        extent->above[axis] = max(extent->above[axis], to_ordered(at[axis]));
        extent->below[axis] = max(extent->below[axis], to_ordered(-at[axis]));
    }
}

/* The union of the lanes' extents. */
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

/* Reads first, which spares most atomic operations. The value may be an old one: then the operation is superfluous. */
static __device__ void raise_max(uint32_t *most, uint32_t value)
{
    if (value > *most)
        atomicMax(most, value);
}

/* The extent of all particles, for open axes. */
static __global__ void find_extent(const __grid_constant__ rdf_view view, const int32_t *group_species)
{
    const uint32_t i = thread_number();
    rdf_extent own = {};
    if (i < view.particles && rdf_group_of(view, group_species, i) != RDF_NO_GROUP)
        extend(&own, rdf_wrapped_of(view, i));
    const rdf_extent extent = extent_of_warp(own);
    if (threadIdx.x % 32 != 0)
        return;
    for (int axis = 0; axis < 3; axis++) {
        raise_max(&view.census->extent.above[axis], extent.above[axis]);
        raise_max(&view.census->extent.below[axis], extent.below[axis]);
    }
}

/* Bounds of all particles: the box along periodic axes, their extent along open ones. */
static __device__ rdf_bounds bounds_of_all(const rdf_view &view)
{
    rdf_bounds bounds = bounds_of(view.census->extent);
    for (int axis = 0; axis < 3; axis++)
        if (view.box.periodic[axis])
            bounds.low[axis] = 0, bounds.high[axis] = view.box.edge[axis];
    return bounds;
}

/* Sets the bounds of the tiles of group blockIdx.y, a warp each. */
static __global__ void bound_tiles(const __grid_constant__ rdf_view view)
{
    const uint32_t group = blockIdx.y, tile = blockIdx.x * WARPS + threadIdx.x / 32;
    const uint32_t begin = rdf_begin_of(view, group), size = rdf_size_of(view, group);
    const uint32_t end = min(size, (tile + 1) * RDF_TILE);
    if (tile * RDF_TILE >= size)
        return;
    rdf_extent own = {};
    for (uint32_t k = tile * RDF_TILE + threadIdx.x % 32; k < end; k += 32)
        extend(&own, view.wrapped[begin + k]);
    const rdf_extent extent = extent_of_warp(own);
    if (threadIdx.x % 32 == 0)
        view.bounds[rdf_tiles_begin(group, begin) + tile] = bounds_of(extent);
}

/* ---- Sorting ----------------------------------------------------------------------------------------------------- */

constexpr uint32_t NO_CELL = UINT32_MAX;

static __device__ uint32_t cell_of(const rdf_view &view, uint32_t group, float4 position)
{
    const float at[3] = {position.x, position.y, position.z};
    const rdf_bounds bounds = bounds_of_all(view);
    const rdf_grid grid = rdf_grid_of(&bounds, rdf_size_of(view, group));
    return rdf_cells_begin(group, rdf_begin_of(view, group)) + rdf_grid_cell(&grid, at);
}

/* Counts the particles of each cell, and keeps their wrapped positions with the number of the cell in w. */
static __global__ void count_cells(const __grid_constant__ rdf_view view, const int32_t *group_species,
                                   const __grid_constant__ rdf_order order)
{
    const uint32_t i = thread_number();
    if (i >= view.particles)
        return;
    const uint32_t group = rdf_group_of(view, group_species, i);
    float4 wrapped = rdf_wrapped_of(view, i);
    const uint32_t cell = group == RDF_NO_GROUP ? NO_CELL : cell_of(view, group, wrapped);
    if (cell != NO_CELL)
        atomicAdd(&order.cells[cell], 1);
    wrapped.w = __uint_as_float(cell);
    order.unsorted[i] = wrapped;
}

/* order.cells: the next free index of each cell, at first where it begins. */
static __global__ void sort_particles(const __grid_constant__ rdf_view view, const __grid_constant__ rdf_order order)
{
    const uint32_t i = thread_number();
    const float4 wrapped = i < view.particles ? order.unsorted[i] : make_float4(0, 0, 0, __uint_as_float(NO_CELL));
    const uint32_t cell = __float_as_uint(wrapped.w);
    if (cell != NO_CELL)
        view.wrapped[atomicAdd(&order.cells[cell], 1)] = wrapped;
}

cudaError_t rdf_sort_particles(const rdf_solver *solver, const rdf_view &view, cudaStream_t stream)
{
    const rdf_order &order = solver->order;
    const uint32_t blocks = engine_cuda_blocks(view.particles, THREADS), tiles = rdf_tile_count(view.particles);
    size_t scan_bytes = order.scan_bytes;
    /* the cells lie directly behind the census */
    ENGINE_CUDA_TRY(
        cudaMemsetAsync(view.census, 0, sizeof *view.census + order.cell_count * sizeof *order.cells, stream));
    ENGINE_CUDA_TRY(find_groups(solver, view, stream));
    if (!view.box.periodic[0] || !view.box.periodic[1] || !view.box.periodic[2])
        find_extent<<<blocks, THREADS, 0, stream>>>(view, solver->group_species);
    ENGINE_CUDA_TRY(cudaGetLastError());
    count_cells<<<blocks, THREADS, 0, stream>>>(view, solver->group_species, order);
    ENGINE_CUDA_TRY(cudaGetLastError());
    ENGINE_CUDA_TRY(cub::DeviceScan::ExclusiveSum(order.scan, scan_bytes, order.cells, order.cells,
                                                  (int) order.cell_count, stream));
    sort_particles<<<blocks, THREADS, 0, stream>>>(view, order);
    ENGINE_CUDA_TRY(cudaGetLastError());
    bound_tiles<<<dim3(engine_cuda_blocks(tiles, WARPS), view.group_count), THREADS, 0, stream>>>(view);
    return cudaGetLastError();
}

/* ---- The start --------------------------------------------------------------------------------------------------- */

cudaError_t rdf_scan_bytes(uint32_t cells, size_t *bytes)
{
    return cub::DeviceScan::ExclusiveSum(nullptr, *bytes, (uint32_t *) nullptr, (uint32_t *) nullptr, (int) cells);
}
