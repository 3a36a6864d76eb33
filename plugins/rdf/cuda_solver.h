/* What the three CUDA implementations share: the instance, and everything but the counting of pairs. */
#ifndef RDF_CUDA_SOLVER_H
#define RDF_CUDA_SOLVER_H

#include "cuda_bin.h"
#include "cuda_bounds.h"

#include <common/cuda.cuh>

/* The extent of particles: the largest of x, y and z, and of -x, -y and -z, as unsigned integers in the same order. */
struct rdf_extent {
    uint32_t above[3], below[3];
};

/* Work of one launch of `cuda`. */
struct rdf_tile_queue {
    uint32_t listed; /* pairs of tiles that may be in range */
    uint32_t taken;  /* items that warps have taken */
};

/* Counts about the particles, on the device; each frame starts with 0. */
struct rdf_census {
    uint32_t sizes[RDF_GROUPS_MAX];  /* particles of each group; stays 0 with `everything` */
    uint32_t begin[RDF_GROUPS_MAX];  /* its first particle in view.wrapped */
    uint32_t filled[RDF_GROUPS_MAX]; /* particles that are in view.wrapped already */
    unsigned long long excluded[RDF_ROWS_MAX];
    uint32_t centres;  /* particles in view.groups.centres */
    rdf_extent extent; /* along open axes */
    rdf_tile_queue queue;
    uint32_t invalid; /* 1 + the number of a particle whose position is invalid; 0: none */
};

/* The groups of the particles, where their species are not enough: with an index file, groups of several species, or
 * `within`. */
struct rdf_groups {
    uint32_t *of;                      /* of each particle, in this frame; NULL: species are enough */
    const uint32_t *indexed;           /* by the index file; NULL: by species */
    const struct rdf_members *members; /* of each group; NULL: one species */
    float4 *centres;                   /* wrapped positions of the particles of within_group */
    float within;                      /* 0: all */
    uint32_t within_group;
};

/* What kernels see. */
struct rdf_view {
    struct rdf_box box;
    struct rdf_bins bins;
    struct rdf_layer layer;
    const float *position; /* component c of particle i is number i * pitch + c * component_stride */
    int64_t pitch, component_stride;
    const int32_t *species; /* or NULL */
    uint32_t particles, group_count, row_count, exclude_block, finite_size;
    uint32_t any;        /* 1: there is one group, of any species */
    uint32_t everything; /* 1: this group has all particles */
    uint32_t share,
        shares; /* of a divided run: this part takes every pair of tiles whose number is share modulo shares */
    double volume;
    rdf_census *census;
    float4 *wrapped;    /* wrapped positions, sorted by group; w is not used */
    rdf_bounds *bounds; /* of tiles; NULL where particles are not sorted by cell */
    rdf_groups groups;
    uint32_t *invalid; /* host memory: set to census->invalid at the end of a call */
    unsigned long long *counts, *frames;
    double *r, *g, *n, *ideal, *centres;
};

/* Memory for sorting the particles of a group by cell; all 0 where they are not sorted. */
struct rdf_order {
    uint32_t *cells; /* behind the census: particles of each cell, then the next free index of each */
    uint32_t cell_count;
    float4 *unsorted; /* w: bits of the cell's number */
    rdf_bounds *bounds;
    void *scan; /* temporary memory of CUB */
    size_t scan_bytes;
};

/* What the host learns of a call: two calls may be under way. */
struct rdf_answer {
    uint32_t *invalid[2]; /* pinned; see rdf_view */
    cudaEvent_t done[2];
    uint64_t enqueued, settled; /* calls */
};

/* An instance. */
struct rdf_solver {
    struct rdf_plan plan;
    rdf_census *census;
    float4 *wrapped;
    uint64_t *first_counts; /* in host memory */
    bool counted;           /* they were looked at */
    int32_t *group_species; /* plan.species and plan.rows, on the device */
    rdf_row *rows;
    rdf_groups groups;
    struct rdf_pairs listed; /* pairs of the file `exclude`, on the device */
    double *shells;          /* volume of each bin's shell */
    float *thresholds;       /* slots + 2 of them; see cuda_bin.h */
    struct rdf_binning binning;
    struct rdf_order order;
    uint32_t *list; /* pairs of tiles: see cuda_tile_list.h */
    struct rdf_answer answer;
    int multiprocessors;
    uint32_t block_size;

    /* Enqueues kernels that add the pairs of a row to its counts. */
    cudaError_t (*count)(const rdf_solver *solver, const rdf_view &view, uint32_t row, cudaStream_t stream);
};

/* Start. Makes an instance, without `count` and `answer`. `sorted`: with memory for sorting by cell. */
int rdf_cuda_open(const engine_call *call, bool sorted, rdf_solver **solver);

/* Start. The end of create: nothing may fail after it, because it makes what only rdf_cuda_destroy frees. */
int rdf_cuda_open_answer(const engine_host *host, rdf_solver *solver);

static __device__ inline uint32_t rdf_size_of(const rdf_view &view, uint32_t group)
{
    return view.everything ? view.particles : view.census->sizes[group];
}

static __device__ inline uint32_t rdf_begin_of(const rdf_view &view, uint32_t group)
{
    return view.everything ? 0 : view.census->begin[group];
}

#endif
