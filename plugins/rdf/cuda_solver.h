/* What the three implementations on CUDA share: an instance, and all but the counting of pairs. */
#ifndef RDF_CUDA_SOLVER_H
#define RDF_CUDA_SOLVER_H

#include "cuda_fast.h"
#include "cuda_reach.h"

#include <cuda_runtime.h>

/* How far particles reach: the largest coordinates and the largest negative ones, as whole numbers in the same order.
 */
struct rdf_extent {
    uint32_t above[3], below[3];
};

/* What a launch that counts pairs works through. */
struct rdf_work {
    uint32_t found; /* pairs of tiles that may be in range */
    uint32_t taken; /* items of them, by warps */
};

/* On the device, made anew by every call. */
struct rdf_census {
    uint32_t sizes[RDF_GROUPS_MAX]; /* with `everything` there is one group of all, and this is not filled in */
    uint32_t begin[RDF_GROUPS_MAX]; /* where a group begins */
    uint32_t placed[RDF_GROUPS_MAX];
    unsigned long long excluded[RDF_ROWS_MAX];
    rdf_extent extent; /* along open axes */
    rdf_work work;
    uint32_t lost; /* 1 + the number of a particle that is nowhere; 0: none */
};

/* What kernels see. */
struct rdf_view {
    struct rdf_box box;
    struct rdf_bins bins;
    const float *position; /* of particle i: i * pitch + c * component_stride, in floats */
    int64_t pitch, component_stride;
    const int32_t *species; /* or NULL */
    uint32_t particles, group_count, row_count, everything, exclude_block, finite_size;
    double volume;
    rdf_census *census;
    float4 *place;      /* wrapped, sorted by group; w is not used */
    rdf_bounds *bounds; /* of tiles, where groups are sorted */
    unsigned long long *counts, *frames;
    double *r, *g, *n, *ideal;
};

/* What it takes to sort the particles of a group; not there where they are not sorted. */
struct rdf_order {
    uint32_t *cells; /* behind the census: particles of each, then where each begins */
    uint32_t cell_count;
    float4 *unsorted; /* w: bits of the cell's number */
    rdf_bounds *bounds;
    void *scan; /* CUB's */
    size_t scan_bytes;
};

/* Head of an instance. */
struct rdf_solver {
    struct rdf_plan plan;
    rdf_census *census;
    float4 *place;
    int32_t *group_species; /* plan.species and plan.rows, on the device */
    rdf_row *rows;
    double *shells;
    float *thresholds; /* slots + 2 of them; see cuda_fast.h */
    struct rdf_fast fast;
    struct rdf_order order;
    uint32_t *list; /* of pairs of tiles: see cuda_pairs.h */
    int multiprocessors;
    uint32_t block_size;

    /* Enqueues what adds the pairs of a row to its counts. */
    cudaError_t (*count)(const rdf_solver *solver, const rdf_view &view, uint32_t row, cudaStream_t stream);
};

/* Start. Makes what all have, but for count; `sorted`: and what sorting takes. */
int rdf_cuda_open(const engine_call *call, bool sorted, rdf_solver **solver);

static __device__ inline uint32_t rdf_size_of(const rdf_view &view, uint32_t group)
{
    return view.everything ? view.particles : view.census->sizes[group];
}

static __device__ inline uint32_t rdf_begin_of(const rdf_view &view, uint32_t group)
{
    return view.everything ? 0 : view.census->begin[group];
}

static inline uint32_t rdf_divide_up(uint64_t a, uint64_t b)
{
    return (uint32_t) ((a + b - 1) / b);
}

#define RDF_TRY(call) \
    do { \
        const cudaError_t rdf_error = (call); \
        if (rdf_error != cudaSuccess) \
            return rdf_error; \
    } while (0)

#define RDF_CHECK(host, call) \
    do { \
        const cudaError_t rdf_error = (call); \
        if (rdf_error != cudaSuccess) { \
            (void) cudaGetLastError(); \
            return ENGINE_FAIL(host, ENGINE_DEVICE, "%s: %s: %s", #call, cudaGetErrorName(rdf_error), \
                               cudaGetErrorString(rdf_error)); \
        } \
    } while (0)

#endif
