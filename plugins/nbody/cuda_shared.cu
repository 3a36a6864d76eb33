/* cuda-shared: a thread for each body, with tiles of bodies in shared memory. A block reads a tile once, and all its
 * threads use it. `block_stride` blocks have the same bodies and share the tiles, so that few bodies fill the device
 * too. Both ideas are those of the n-body repository of huolanmiao (docs/explain/source-texts.md). With a block_stride
 * of 2:
 *
 *                  tile 0    tile 1    tile 2    tile 3    ...
 *     block (x, 0)    X                   X                     all bodies of block x
 *     block (x, 1)              X                   X           the same bodies; both add to the same sums
 *
 * `unroll` is the unrolling of the inner loop. docs/lab/nbody.md has the rates.
 *
 * A thread adds 64 interactions in T, and these partial sums in fixed point (cuda_bodies.cuh). So no block size, stride
 * or unrolling changes a bit. The limit is instructions, 17 an interaction. */
#include "cuda_force.cuh"

constexpr uint32_t CHUNK = 64; /* bodies whose forces are added in T */

template <class T> struct job {
    nbody_field<T> field;
    uint32_t tile; /* bodies in shared memory at a time: a multiple of CHUNK */
};

/* A thread's own sum in fixed point, added to the body's sum at the end. */
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

template <int UNROLL, bool MASK, class T>
static __device__ nbody_vector<T> attract(const nbody_body<T> &body, const nbody_body<T> *chunk, T softening,
                                          uint32_t self)
{
    nbody_vector<T> sum = {};
    nbody_attract<UNROLL, MASK>(sum, body, chunk, CHUNK, softening, self);
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
        for (uint32_t chunk = 0; chunk < job.tile; chunk += CHUNK) {
            const uint32_t self = i - begin - chunk;
            const nbody_vector<T> partial = read.softening == 0
                                                ? attract<UNROLL, true>(body, tile + chunk, read.softening, self)
                                                : attract<UNROLL, false>(body, tile + chunk, read.softening, self);
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
    return (uint32_t) engine_divide_up(block_size, CHUNK) * CHUNK;
}

/* The stride that makes twice as many threads as the device runs at a time, at most one for each tile. */
static uint32_t choose_stride(const nbody_solver *solver)
{
    const uint64_t threads = 2 * 2048 * (uint64_t) solver->multiprocessors;
    const uint64_t tiles = engine_divide_up(solver->plan.count, tile_bodies(solver->block_size));
    const uint64_t stride = engine_divide_up(threads, solver->plan.count);
    return (uint32_t) (stride < tiles ? stride : tiles);
}

template <class T, int UNROLL> static cudaError_t launch(const nbody_solver *solver, const engine_call *call)
{
    const uint32_t threads = solver->block_size, tile = tile_bodies(threads);
    const dim3 blocks(engine_cuda_blocks(solver->plan.count, threads), solver->block_stride);
    const size_t bytes = tile * sizeof(nbody_body<T>);
    const job<T> job = {nbody_cuda_field<T>(solver, call), tile};
    add_forces<T, UNROLL><<<blocks, threads, bytes, engine_cuda_stream(call)>>>(job);
    return cudaGetLastError();
}

using launcher = cudaError_t (*)(const nbody_solver *, const engine_call *);

/* By precision and log2 of `unroll`. */
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
    const uint64_t partials = engine_divide_up(nbody_plan(call->plan).count, CHUNK);
    const int status = nbody_cuda_open(call, partials, 1, &solver);
    if (status)
        return status;
    solver->forces = forces;
    if (solver->block_stride == 0)
        solver->block_stride = choose_stride(solver);
    call->host->note(call->host, "block_stride", "%u", solver->block_stride);
    *self = solver;
    const void *kernel =
        nbody_by_precision(solver, [](auto real) { return (const void *) add_forces<decltype(real), 1>; });
    return cuda_check_threads(call->host, kernel, solver->block_size);
}
