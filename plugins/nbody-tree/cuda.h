/* What the files of nbody-tree's implementation `cuda` share. */
#ifndef NBODY_TREE_CUDA_H
#define NBODY_TREE_CUDA_H

#include "cpu.h"

#include <common/cuda.cuh>

constexpr uint32_t TREE_UNIT = 8;   /* bodies of a leaf */
constexpr uint32_t TREE_GROUP = 64; /* bodies in a row that a warp computes the forces on */

/* An instance. All arrays are scratch memory; those of `hosts` on the host, all others on the device. */
struct tree_cuda {
    struct nbody_plan plan;
    uint32_t leaves;
    int mass_exponent; /* the sum of all masses is below 2^mass_exponent */
    int wide;          /* 1: the arithmetic of forces is in double */
    double error;      /* of a cell's attraction, in units of the attraction on the bodies */
    void *hosts[3];    /* copies of positions, velocities and masses, for checks and metrics */

    void *extent;
    uint64_t *keys[2]; /* of bodies, before and after the sort */
    uint32_t *order[2];
    void *sort_space;
    size_t sort_bytes;
    uint64_t *firsts;
    void *bodies, *heads, *quadrupoles, *bounds;
    uint32_t *node_slots, *leaf_slots, *arrived, *wide_groups;
    int multiprocessors;
    void *forces;                         /* see tree_view; NULL: the run is not divided */
    double *potentials, *host_potentials; /* of each group: the sum of mass times potential, without g */
};

/* ---- cuda_sort.cu ------------------------------------------------------------------------------------------------ */

/* Bytes of sort_space. */
cudaError_t tree_sort_bytes(uint64_t count, size_t *bytes);

/* Enqueues a stable sort of keys[0] and order[0] into keys[1] and order[1]. */
cudaError_t tree_sort_keys(const tree_cuda *tree, cudaStream_t stream);

/* ---- cuda_build.cu ----------------------------------------------------------------------------------------------- */

/* Start. Allocates the arrays of a tree. ENGINE_NO_MEMORY. */
int tree_allocate(const engine_host *host, tree_cuda *tree, bool divided);

/* Enqueues the making of the tree of the current positions. */
cudaError_t tree_build(const tree_cuda *tree, const engine_call *call);

/* ---- cuda_walk.cu ------------------------------------------------------------------------------------------------ */

/* Groups of bodies, each of which gets a number of tree->potentials. */
uint32_t tree_groups(uint64_t count);

/* Enqueues the forces of a tree on this part's groups, into the field acceleration or into tree->forces; or the
 * potentials, into tree->potentials. */
cudaError_t tree_forces(const tree_cuda *tree, const engine_call *call);
cudaError_t tree_potentials(const tree_cuda *tree, const engine_call *call);

/* Enqueues a copy of tree->forces, which hold those of all parts, into the field acceleration. */
cudaError_t tree_put_forces(const tree_cuda *tree, const engine_call *call);

#endif
