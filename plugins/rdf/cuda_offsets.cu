/* cuda-naive and cuda-shared, as the project's text has them: a launch for each distance d between the numbers of two
 * particles, in which thread i takes the pair of i and i + d, modulo their number. So every thread does the same, and
 * every pair comes once: with d = 1 … n / 2 within a group, where the last d of an even n takes half of the threads,
 * and with d = 0 … n - 1 between two groups. The bin is that of the definition, root and division.
 *
 *   cuda-naive    adds one to a count in global memory, 64 bits: pairs of a bin wait for each other
 *   cuda-shared   counts a block's pairs in shared memory and adds what is not 0 to global memory at the end: one
 *                 addition a bin and block instead of one a pair, and many bins are empty then
 *
 * 44028 particles, 512 bins, on an H200 (CUDA 13.0; the text's own kernels): 266 and 62.5 ms, of which 22014 launches
 * are 60. */
#include "cuda_solver.h"

/* A pair of particles; none where `is` is 0. */
struct rdf_couple {
    float4 a, b;
    uint32_t is;
};

/* The pair of thread i at distance d. */
static __device__ rdf_couple fetch_pair(const rdf_view &view, rdf_row row, uint32_t d)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x, same = row.a == row.b;
    const uint32_t n = rdf_size_of(view, row.b), own = rdf_size_of(view, row.a);
    rdf_couple couple = {};
    couple.is = i < (same && 2 * d == n ? n / 2 : own) && d < n && !(same && d > n / 2);
    if (!couple.is)
        return couple;
    uint32_t j = i + d; /* no more than 2^24: see check_count in cuda_solver.cu */
    if (j >= n)
        j = same ? j - n : j % n;
    couple.a = view.place[rdf_begin_of(view, row.a) + i], couple.b = view.place[rdf_begin_of(view, row.b) + j];
    return couple;
}

/* Its bin; the number of bins or more where there is none. */
static __device__ uint32_t bin_of_pair(const rdf_view &view, const rdf_couple &couple)
{
    const float4 a = couple.a, b = couple.b;
    return couple.is ? rdf_bin(&view.bins, rdf_square(&view.box, a.x - b.x, a.y - b.y, a.z - b.z)) : view.bins.count;
}

static __global__ void count_naive(const __grid_constant__ rdf_view view, rdf_row row, uint32_t d,
                                   unsigned long long *counts)
{
    const uint32_t bin = bin_of_pair(view, fetch_pair(view, row, d));
    if (bin < view.bins.count)
        atomicAdd(&counts[bin], 1ull);
}

/* The pair is on its way while the histogram is cleared. */
static __global__ void count_shared(const __grid_constant__ rdf_view view, rdf_row row, uint32_t d,
                                    unsigned long long *counts)
{
    extern __shared__ uint32_t own[];
    const rdf_couple couple = fetch_pair(view, row, d);
    for (uint32_t k = threadIdx.x; k < view.bins.count; k += blockDim.x)
        own[k] = 0;
    __syncthreads();
    const uint32_t bin = bin_of_pair(view, couple);
    if (bin < view.bins.count)
        atomicAdd(&own[bin], 1);
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < view.bins.count; k += blockDim.x)
        if (own[k] > 0)
            atomicAdd(&counts[k], (unsigned long long) own[k]);
}

/* `shared`: bytes, or 0 for the kernel that has none. */
static cudaError_t count_by_offsets(const rdf_solver *solver, const rdf_view &view, uint32_t row, size_t shared,
                                    cudaStream_t stream)
{
    const rdf_row groups = solver->plan.rows[row];
    const uint32_t blocks = rdf_divide_up(view.particles, solver->block_size);
    const uint32_t first = groups.a == groups.b, last = first ? view.particles / 2 : view.particles - 1;
    unsigned long long *counts = view.counts + (uint64_t) row * view.bins.count;
    for (uint32_t d = first; d <= last; d++) {
        if (shared)
            count_shared<<<blocks, solver->block_size, shared, stream>>>(view, groups, d, counts);
        else
            count_naive<<<blocks, solver->block_size, 0, stream>>>(view, groups, d, counts);
        RDF_TRY(cudaGetLastError());
    }
    return cudaSuccess;
}

static cudaError_t naive(const rdf_solver *solver, const rdf_view &view, uint32_t row, cudaStream_t stream)
{
    return count_by_offsets(solver, view, row, 0, stream);
}

static cudaError_t shared(const rdf_solver *solver, const rdf_view &view, uint32_t row, cudaStream_t stream)
{
    return count_by_offsets(solver, view, row, view.bins.count * sizeof(uint32_t), stream);
}

int rdf_cuda_naive_create(const engine_call *call, void **self)
{
    rdf_solver *solver = nullptr;
    const int status = rdf_cuda_open(call, false, &solver);
    if (status == 0)
        solver->count = naive;
    *self = solver;
    return status;
}

int rdf_cuda_shared_create(const engine_call *call, void **self)
{
    rdf_solver *solver = nullptr;
    const int status = rdf_cuda_open(call, false, &solver);
    if (status == 0)
        solver->count = shared;
    *self = solver;
    return status;
}
