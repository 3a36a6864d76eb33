/* nbody with tiles of bodies in shared memory, as the project's texts go on: what a block reads once, all its threads
 * use. `block_stride` blocks share the same bodies: of the tiles, block s of them takes number s, s + block_stride, …,
 * so that few bodies fill the device too. `unroll` interactions of the inner loop stand in a row. Whole steps in 10^12
 * interactions a second, float, leapfrog, block_size = 128, block_stride = 0 (NVIDIA H200, CUDA 13.0, 2026-11-20):
 *
 *     4096 bodies 1.05    16384 1.54    65536 1.61    262144 1.61
 *
 * Sums are exact from 64 interactions on (cuda_bodies.cuh), and tiles are whole sets of 64 bodies: no block size,
 * stride or unrolling changes a bit. It is bound by instructions, 17 an interaction; what cuda adds is to need
 * fewer. */
#include "cuda_force.cuh"

constexpr uint32_t SET = 64; /* bodies whose forces are added in T */

template <class T> struct job {
    nbody_field<T> field;
    uint32_t tile; /* bodies in shared memory at a time: whole sets */
};

/* A thread's own sum, in integers, until the end. */
struct sum {
    unsigned long long x, y, z;
};

template <class T>
static __device__ void add(const nbody_field<T> &field, uint32_t body, uint32_t component, unsigned long long *sum,
                           T partial)
{
    const T scaled = partial * nbody_power(T(), nbody_number<T>::FRACTION);
    if (fabs(scaled) < nbody_power(T(), field.shift))
        *sum += (unsigned long long) nbody_round(scaled);
    else if (body < field.count)
        nbody_add(field, body, component, partial);
}

/* MASK: the body may be among the others, and there is no softening to make its own term 0. */
template <class T, int UNROLL, bool MASK>
static __device__ nbody_vector<T> attract(const nbody_body<T> &body, const nbody_body<T> *set, T softening,
                                          uint32_t self)
{
    nbody_vector<T> sum = {};
#pragma unroll UNROLL
    for (uint32_t k = 0; k < SET; k++) {
        const nbody_body<T> other = set[k];
        const nbody_vector<T> d = nbody_between(body, other);
        const T weight = nbody_inverse_cube(nbody_square(d, softening), other.mass);
        nbody_gather(sum, MASK && k == self ? T(0) : weight, d);
    }
    return sum;
}

template <class T, int UNROLL> static __global__ void __launch_bounds__(1024) add_forces(job<T> job)
{
    extern __shared__ double2 shared[];
    nbody_body<T> *tile = (nbody_body<T> *) shared;
    const nbody_reader<T> read(job.field, job.field.scale->extent);
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    const nbody_body<T> body = read(i);
    sum sum = {};
    for (uint32_t begin = blockIdx.y * job.tile; begin < job.field.count; begin += gridDim.y * job.tile) {
        __syncthreads();
        for (uint32_t k = threadIdx.x; k < job.tile; k += blockDim.x)
            tile[k] = read(begin + k);
        __syncthreads();
        for (uint32_t set = 0; set < job.tile; set += SET) {
            const uint32_t self = i - begin - set;
            const nbody_vector<T> partial = read.softening == 0
                                                ? attract<T, UNROLL, true>(body, tile + set, read.softening, self)
                                                : attract<T, UNROLL, false>(body, tile + set, read.softening, self);
            add(job.field, i, 0, &sum.x, partial.x);
            add(job.field, i, 1, &sum.y, partial.y);
            add(job.field, i, 2, &sum.z, partial.z);
        }
    }
    if (i >= job.field.count)
        return;
    atomicAdd(job.field.low + i, sum.x);
    atomicAdd(job.field.low + job.field.count + i, sum.y);
    atomicAdd(job.field.low + 2 * (uint64_t) job.field.count + i, sum.z);
}

/* ---- Launches --------------------------------------------------------------------------------------------------- */

static uint32_t tile_bodies(uint32_t block_size)
{
    return (block_size + SET - 1) / SET * SET;
}

/* Twice as many threads as the device runs at a time, as far as there are tiles. */
static uint32_t choose_stride(const nbody_solver *solver)
{
    const uint64_t threads = 2 * 2048 * (uint64_t) solver->multiprocessors;
    const uint32_t tiles = nbody_divide_up(solver->plan.count, tile_bodies(solver->block_size));
    const uint32_t stride = nbody_divide_up(threads, solver->plan.count);
    return stride < tiles ? stride : tiles;
}

template <class T, int UNROLL> static cudaError_t launch(const nbody_solver *solver, const engine_call *call)
{
    const uint32_t threads = solver->block_size, tile = tile_bodies(threads);
    const dim3 blocks(nbody_divide_up(solver->plan.count, threads), solver->block_stride);
    const size_t bytes = tile * sizeof(nbody_body<T>);
    const job<T> job = {nbody_cuda_field<T>(solver, call), tile};
    add_forces<T, UNROLL><<<blocks, threads, bytes, (cudaStream_t) call->stream>>>(job);
    return cudaGetLastError();
}

using launcher = cudaError_t (*)(const nbody_solver *, const engine_call *);

/* By precision and the logarithm of `unroll`. */
static const launcher launchers[2][6] = {
    {launch<float, 1>, launch<float, 2>, launch<float, 4>, launch<float, 8>, launch<float, 16>, launch<float, 32>},
    {launch<double, 1>, launch<double, 2>, launch<double, 4>, launch<double, 8>, launch<double, 16>,
     launch<double, 32>}};

static cudaError_t forces(const nbody_solver *solver, const engine_call *call)
{
    return launchers[solver->plan.precision][ilogb((double) solver->unroll)](solver, call);
}

int nbody_cuda_shared_create(const engine_call *call, void **self)
{
    nbody_solver *solver = nullptr;
    const uint64_t partials = nbody_divide_up(nbody_plan(call->plan).count, SET);
    const int status = nbody_cuda_open(call, partials, &solver);
    if (status)
        return status;
    solver->forces = forces;
    if (solver->block_stride == 0)
        solver->block_stride = choose_stride(solver);
    call->host->note(call->host, "block_stride", "%u", solver->block_stride);
    *self = solver;
    return 0;
}
