/* Wraps particles into the box and sorts them on the device: by group, or by group and cell. */
#ifndef RDF_CUDA_SORT_H
#define RDF_CUDA_SORT_H

#include "cuda_solver.h"

/* Wraps particle i. Returns 1 if it counts. An invalid position becomes 0 and is noted in the census. */
static __device__ inline int rdf_place_of(const rdf_view &view, uint32_t i, float wrapped[3])
{
    const float *particle = view.position + i * view.pitch;
    const float at[3] = {particle[0], particle[view.component_stride], particle[2 * view.component_stride]};
    if (rdf_is_position(at))
        return rdf_place(&view.box, &view.layer, at, wrapped);
    atomicMax(&view.census->invalid, i + 1);
    wrapped[0] = wrapped[1] = wrapped[2] = 0;
    return 1;
}

/* The group of particle i by its species or the index file. */
static __device__ inline uint32_t rdf_own_group(const rdf_view &view, const int32_t *group_species, uint32_t i)
{
    float wrapped[3];
    if (rdf_is_cut(&view.layer) && !rdf_place_of(view, i, wrapped))
        return RDF_NO_GROUP;
    const int32_t species = view.species ? view.species[i] : 0;
    if (view.groups.indexed)
        return species < 0 ? RDF_NO_GROUP : view.groups.indexed[i];
    return rdf_group_of_species(view.any, view.group_count, group_species, view.groups.members, species);
}

/* Run, after the groups of the frame are set. */
static __device__ inline uint32_t rdf_group_of(const rdf_view &view, const int32_t *group_species, uint32_t i)
{
    return view.groups.of ? view.groups.of[i] : rdf_own_group(view, group_species, i);
}

/* The wrapped position of particle i; w is 0. */
static __device__ inline float4 rdf_wrapped_of(const rdf_view &view, uint32_t i)
{
    float wrapped[3];
    rdf_place_of(view, i, wrapped);
    return make_float4(wrapped[0], wrapped[1], wrapped[2], 0);
}

/* Enqueues kernels that fill view.wrapped and the census. Particles are sorted by group; a single group keeps the order
 * of the input. */
cudaError_t rdf_group_particles(const rdf_solver *solver, const rdf_view &view, cudaStream_t stream);

/* The same, with each group sorted by the cells of a grid (cuda_grid.h); also fills the bounds of its tiles. */
cudaError_t rdf_sort_particles(const rdf_solver *solver, const rdf_view &view, cudaStream_t stream);

/* Start. Sets *bytes to the temporary memory that rdf_sort_particles needs for so many cells. */
cudaError_t rdf_scan_bytes(uint32_t cells, size_t *bytes);

#endif
