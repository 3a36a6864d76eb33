/* cuda-naive and cuda-shared, after the GPU seminar of Jurek and Tóth (docs/explain/source-texts.md): a launch for each
 * distance d between the numbers of two particles. Thread i takes the pair of particles i and i + d, modulo n, so that
 * every pair comes once. With 4 particles of one group:
 *
 *     thread    0      1      2      3
 *     d = 1    0 1    1 2    2 3    3 0        d = 1 ... n / 2 within a group; between two groups d = 0 ... n - 1
 *     d = 2    0 2    1 3     -      -         d = n / 2 takes half of the threads
 *
 * The bin is that of the definition, with a root and a division. docs/lab/rdf.md has the rates:
 *
 *     cuda-naive     Adds to 64-bit counts in global memory: pairs of one bin collide.
 *     cuda-shared    Counts in shared memory; a block adds its counts to global memory at the end. Most of the time is
 *                    that of the launches. */
#include "cuda_solver.h"

/* A pair of particles; `exists` is 0 where the thread has none. */
struct rdf_particle_pair {
    float4 a, b;
    uint32_t exists;
};

/* The pair of thread i at distance d. */
static __device__ rdf_particle_pair fetch_pair(const rdf_view &view, rdf_row row, uint32_t d)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, same = row.a == row.b;
    const uint32_t n = rdf_size_of(view, row.b), own = rdf_size_of(view, row.a);
    rdf_particle_pair pair = {};
    pair.exists = i < (same && 2 * d == n ? n / 2 : own) && d < n && !(same && d > n / 2);
    if (!pair.exists)
        return pair;
    uint32_t j = i + d; /* below 2 RDF_CUDA_PARTICLES_MAX */
    if (j >= n)
        j = same ? j - n : j % n;
    pair.a = view.wrapped[rdf_begin_of(view, row.a) + i], pair.b = view.wrapped[rdf_begin_of(view, row.b) + j];
    return pair;
}

/* The bin of a pair; the number of bins where it is out of range or does not exist. */
static __device__ uint32_t bin_of_pair(const rdf_view &view, const rdf_particle_pair &pair)
{
    const float4 a = pair.a, b = pair.b;
    return pair.exists ? rdf_bin(&view.bins, rdf_square(&view.box, a.x - b.x, a.y - b.y, a.z - b.z)) : view.bins.count;
}

static __global__ void count_naive(const __grid_constant__ rdf_view view, rdf_row row, uint32_t d,
                                   unsigned long long *counts)
{
    const uint32_t bin = bin_of_pair(view, fetch_pair(view, row, d));
    if (bin < view.bins.count)
        atomicAdd(&counts[bin], 1ull);
}

/* The loads of the pair are under way while the histogram is cleared. */
static __global__ void count_shared(const __grid_constant__ rdf_view view, rdf_row row, uint32_t d,
                                    unsigned long long *counts)
{
    extern __shared__ uint32_t own[];
    const rdf_particle_pair pair = fetch_pair(view, row, d);
    for (uint32_t k = threadIdx.x; k < view.bins.count; k += blockDim.x)
        own[k] = 0;
    __syncthreads();
    const uint32_t bin = bin_of_pair(view, pair);
    if (bin < view.bins.count)
        atomicAdd(&own[bin], 1);
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < view.bins.count; k += blockDim.x)
        if (own[k] > 0)
            atomicAdd(&counts[k], (unsigned long long) own[k]);
}

/* `shared`: bytes of shared memory; 0 for count_naive. */
static cudaError_t count_by_distance(const rdf_solver *solver, const rdf_view &view, uint32_t row, size_t shared,
                                     cudaStream_t stream)
{
    const rdf_row groups = solver->plan.rows[row];
    const uint32_t blocks = engine_cuda_blocks(view.particles, solver->block_size);
    const uint32_t first = groups.a == groups.b, last = first ? view.particles / 2 : view.particles - 1;
    unsigned long long *counts = view.counts + (uint64_t) row * view.bins.count;
    for (uint32_t d = first; d <= last; d++) {
        if (shared)
            count_shared<<<blocks, solver->block_size, shared, stream>>>(view, groups, d, counts);
        else
            count_naive<<<blocks, solver->block_size, 0, stream>>>(view, groups, d, counts);
        ENGINE_CUDA_TRY(cudaGetLastError());
    }
    return cudaSuccess;
}

static cudaError_t naive(const rdf_solver *solver, const rdf_view &view, uint32_t row, cudaStream_t stream)
{
    return count_by_distance(solver, view, row, 0, stream);
}

static cudaError_t shared(const rdf_solver *solver, const rdf_view &view, uint32_t row, cudaStream_t stream)
{
    return count_by_distance(solver, view, row, view.bins.count * sizeof(uint32_t), stream);
}

int rdf_cuda_naive_create(const engine_call *call, void **self)
{
    rdf_solver *solver = nullptr;
    const int status = rdf_cuda_open(call, false, &solver);
    *self = solver;
    if (status)
        return status;
    solver->count = naive;
    return rdf_cuda_open_answer(call->host, solver);
}

int rdf_cuda_shared_create(const engine_call *call, void **self)
{
    rdf_solver *solver = nullptr;
    const int status = rdf_cuda_open(call, false, &solver);
    *self = solver;
    if (status)
        return status;
    solver->count = shared;
    return rdf_cuda_open_answer(call->host, solver);
}
