/* Where particles are counted, on the device: in which group, and at which place. */
#ifndef RDF_CUDA_PLACE_H
#define RDF_CUDA_PLACE_H

#include "cuda_solver.h"

static __device__ inline uint32_t rdf_group_of(const rdf_view &view, const int32_t *group_species, uint32_t i)
{
    const int32_t species = view.species ? view.species[i] : 0;
    for (uint32_t group = 0; group < view.group_count; group++)
        if (view.everything || group_species[group] == species)
            return group;
    return RDF_NO_GROUP;
}

/* w is 0. A particle that is nowhere is at 0, and noted in the census. */
static __device__ inline float4 rdf_place_of(const rdf_view &view, uint32_t i)
{
    const float *particle = view.position + i * view.pitch;
    const float at[3] = {particle[0], particle[view.component_stride], particle[2 * view.component_stride]};
    float place[3];
    if (!rdf_is_place(at)) {
        atomicMax(&view.census->lost, i + 1);
        return make_float4(0, 0, 0, 0);
    }
    rdf_wrap(&view.box, at, place);
    return make_float4(place[0], place[1], place[2], 0);
}

/* Enqueues what fills view.place and the census: particles sorted by group, in the input's order where there is one
 * group. */
cudaError_t rdf_place_all(const rdf_solver *solver, const rdf_view &view, cudaStream_t stream);

/* The same with each group sorted by the cells of a grid, and the bounds of its tiles. */
cudaError_t rdf_place_sorted(const rdf_solver *solver, const rdf_view &view, cudaStream_t stream);

/* Start. Memory that sorting by so many cells takes. */
cudaError_t rdf_scan_bytes(uint32_t cells, size_t *bytes);

#endif
