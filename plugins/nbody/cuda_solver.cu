/* What the three CUDA implementations share: the start, the integrators of nbody.h around the forces, and the
 * metrics. */
#include "cuda_steps.cuh"

#include <climits>
#include <cmath>

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

/* Called by one thread of each block. The last block to arrive sets the extent of the next step. */
template <class T> static __device__ void set_extent(const nbody_field<T> &field, int exponent)
{
    nbody_scale *scale = field.scale;
    atomicMax(&scale->next, (uint32_t) (exponent + NBODY_BIAS));
    __threadfence();
    if (atomicAdd(&scale->blocks, 1) + 1 < gridDim.x * gridDim.y)
        return;
    scale->blocks = 0;
    scale->extent = atomicExch(&scale->next, 0);
}

constexpr int THREADS = 128;

/* Block (x, y): component y of THREADS bodies. */
template <class T>
static __global__ void __launch_bounds__(THREADS)
    apply_stages(const __grid_constant__ nbody_step<T> step, nbody_stages stages)
{
    __shared__ int farthest;
    const uint32_t body = blockIdx.x * THREADS + threadIdx.x;
    int exponent = INT_MIN;
    if (threadIdx.x == 0)
        farthest = INT_MIN;
    if (body < step.field.count)
        exponent = nbody_move(step, stages, body, blockIdx.y, nbody_extent(step.field, step.field.scale->extent));
    __syncthreads();
    atomicMax(&farthest, exponent);
    __syncthreads();
    if (threadIdx.x == 0)
        set_extent(step.field, farthest);
}

template <class T> nbody_field<T> nbody_cuda_user_field(const nbody_solver *solver, const engine_call *call)
{
    nbody_field<T> field = {};
    field.position = (T *) nbody_origin(call, NBODY_POSITION);
    field.velocity = (T *) nbody_origin(call, NBODY_VELOCITY);
    field.acceleration = (T *) nbody_origin(call, NBODY_ACCELERATION);
    field.mass = (const T *) nbody_origin(call, NBODY_MASS);
    field.stride = engine_field_buffer(call, NBODY_POSITION)->component_stride / (int64_t) sizeof(T);
    field.low = solver->low, field.high = solver->high;
    field.scale = solver->scale;
    field.count = (uint32_t) solver->plan.count;
    field.share = call->plan->part.index, field.shares = call->plan->part.count;
    field.shift = solver->shift;
    field.softening = (T) solver->plan.softening;
    field.mass_unit = (T) scalbn(1.0, -solver->mass_exponent);
    field.runs = solver->runs;
    return field;
}

template nbody_field<float> nbody_cuda_user_field<float>(const nbody_solver *, const engine_call *);
template nbody_field<double> nbody_cuda_user_field<double>(const nbody_solver *, const engine_call *);

template <class T> nbody_field<T> nbody_cuda_field(const nbody_solver *solver, const engine_call *call)
{
    nbody_field<T> field = nbody_cuda_user_field<T>(solver, call);
    const uint64_t count = solver->plan.count;
    T *sorted = (T *) solver->sorted;
    if (!sorted)
        return field;
    field.position = sorted, field.velocity = sorted + 3 * count, field.acceleration = sorted + 6 * count;
    field.mass = sorted + 9 * count;
    field.stride = (int64_t) count;
    return field;
}

template nbody_field<float> nbody_cuda_field<float>(const nbody_solver *, const engine_call *);
template nbody_field<double> nbody_cuda_field<double>(const nbody_solver *, const engine_call *);

template <class T> nbody_step<T> nbody_cuda_step(const nbody_solver *solver, const engine_call *call)
{
    const struct nbody_plan &plan = solver->plan;
    nbody_step<T> step = {};
    step.field = nbody_cuda_field<T>(solver, call);
    step.kick = (T) (plan.integrator == NBODY_LEAPFROG ? plan.dt / 2 : plan.dt);
    step.drift = (T) plan.dt;
    step.g = plan.g;
    step.mass_exponent = solver->mass_exponent;
    step.integrator = plan.integrator;
    return step;
}

template nbody_step<float> nbody_cuda_step<float>(const nbody_solver *, const engine_call *);
template nbody_step<double> nbody_cuda_step<double>(const nbody_solver *, const engine_call *);

template <class T>
static cudaError_t launch_stages(const nbody_solver *solver, const engine_call *call, nbody_stages stages)
{
    const dim3 blocks(engine_cuda_blocks(solver->plan.count, THREADS), 3);
    apply_stages<T><<<blocks, THREADS, 0, engine_cuda_stream(call)>>>(nbody_cuda_step<T>(solver, call), stages);
    return cudaGetLastError();
}

static cudaError_t enqueue_stages(const nbody_solver *solver, const engine_call *call, nbody_stages stages)
{
    return nbody_by_precision(solver, [=](auto real) { return launch_stages<decltype(real)>(solver, call, stages); });
}

/* The state is not the one that the call before left: clears its sums and finds the extent. */
static cudaError_t start_fresh(const nbody_solver *solver, const engine_call *call)
{
    const cudaStream_t stream = engine_cuda_stream(call);
    const size_t bytes = 3 * solver->plan.count * sizeof *solver->low;
    ENGINE_CUDA_TRY(nbody_cuda_gather(solver, call));
    ENGINE_CUDA_TRY(cudaMemsetAsync(solver->scale, 0, sizeof *solver->scale, stream));
    if (solver->low) {
        ENGINE_CUDA_TRY(cudaMemsetAsync(solver->low, 0, bytes, stream));
        ENGINE_CUDA_TRY(cudaMemsetAsync(solver->high, 0, bytes, stream));
    }
    return enqueue_stages(solver, call, {false, false, false});
}

static int fail(const nbody_solver *solver, const engine_call *call, cudaError_t error)
{
    return solver->block_size ? -CUDA_FAIL(call->host, error, "launch with block_size = %u", solver->block_size)
                              : -CUDA_FAIL(call->host, error, "launch");
}

/* Enqueues the forces: this part's share of the tasks, and then the sums over all parts. */
static int enqueue_forces(const nbody_solver *solver, const engine_call *call)
{
    const cudaError_t error = solver->forces(solver, call);
    if (error != cudaSuccess)
        return fail(solver, call, error);
    return solver->low ? engine_host_team(call->host)->reduce(call, (uint64_t *) solver->low, 6 * solver->plan.count)
                       : 0;
}

static cudaError_t start(const nbody_solver *solver, const engine_call *call)
{
    return call->flags & ENGINE_CALL_FRESH ? start_fresh(solver, call) : cudaSuccess;
}

static int take_steps(const nbody_solver *solver, const engine_call *call)
{
    const bool sums = solver->low != nullptr, fresh = call->flags & ENGINE_CALL_FRESH;
    const bool leapfrog = solver->plan.integrator == NBODY_LEAPFROG;
    cudaError_t error = start(solver, call);
    int status = error == cudaSuccess && fresh && leapfrog ? enqueue_forces(solver, call) : 0;
    if (error == cudaSuccess && status == 0 && leapfrog)
        error = enqueue_stages(solver, call, {fresh && sums, false, true});
    if (error == cudaSuccess && status == 0 && solver->resident)
        error = solver->resident(solver, call);
    for (uint64_t step = 1; step <= call->steps && !solver->resident && error == cudaSuccess && status == 0; step++) {
        status = enqueue_forces(solver, call);
        if (status == 0)
            error =
                enqueue_stages(solver, call, nbody_after_forces(solver->plan.integrator, sums, step == call->steps));
    }
    if (error == cudaSuccess && status == 0)
        error = nbody_cuda_scatter(solver, call);
    return status ? status : error == cudaSuccess ? 0 : fail(solver, call, error);
}

int nbody_cuda_advance(void *self, engine_call *call)
{
    return take_steps((const nbody_solver *) self, call);
}

/* ---- The start -------------------------------------------------------------------------------------------------- */

/* Copies a field of so many components to a dense array in host memory. */
static cudaError_t fetch(const struct nbody_plan *plan, const engine_call *call, uint32_t field, int components,
                         void *to)
{
    const engine_buffer *buffer = engine_field_buffer(call, field);
    const size_t bytes = plan->count * nbody_number_bytes(plan);
    const char *from = (const char *) buffer->origin[call->current];
    for (int c = 0; c < components; c++)
        ENGINE_CUDA_TRY(cudaMemcpyAsync((char *) to + c * bytes, from + c * buffer->component_stride, bytes,
                                        cudaMemcpyDeviceToHost, engine_cuda_stream(call)));
    return cudaSuccess;
}

static cudaError_t fetch_all(const nbody_solver *solver, const engine_call *call)
{
    ENGINE_CUDA_TRY(fetch(&solver->plan, call, NBODY_POSITION, 3, solver->positions));
    ENGINE_CUDA_TRY(fetch(&solver->plan, call, NBODY_VELOCITY, 3, solver->velocities));
    ENGINE_CUDA_TRY(fetch(&solver->plan, call, NBODY_MASS, 1, solver->masses));
    return cudaStreamSynchronize(engine_cuda_stream(call));
}

static nbody_bodies bodies_of(const nbody_solver *solver)
{
    const int64_t count = (int64_t) solver->plan.count;
    return {solver->plan.count,
            solver->plan.precision,
            {solver->positions, 1, count},
            {solver->velocities, 1, count},
            {solver->masses, 1, count}};
}

/* Sets the unit of mass, and whether the masses are NBODY_ANY or NBODY_POSITIVE. */
static void scan_masses(nbody_solver *solver)
{
    const int tiny = solver->plan.precision == NBODY_DOUBLE ? -300 : -40;
    double sum = 0, least = nbody_cuda_mass(solver, 0);
    for (uint64_t i = 0; i < solver->plan.count; i++) {
        const double mass = nbody_cuda_mass(solver, i);
        sum += mass;
        least = mass < least ? mass : least;
    }
    solver->mass_exponent = sum > 0 ? ilogb(sum) + 1 : 0;
    solver->kind = scalbn(least, -solver->mass_exponent) > scalbn(1.0, tiny) ? NBODY_POSITIVE : NBODY_ANY;
}

/* The largest shift for which `low` has room for all partial sums of a body that are below 2^shift. */
static int choose_shift(uint64_t partials)
{
    return 61 - ilogb((double) partials + 1);
}

constexpr uint32_t POTENTIAL_BLOCKS = 1024;

static int allocate(const engine_host *host, const struct nbody_plan &plan, uint32_t sets, nbody_solver **out)
{
    const size_t bytes = plan.count * nbody_number_bytes(&plan), sum_bytes = 3 * plan.count * sizeof(uint64_t);
    nbody_solver *solver = (nbody_solver *) host->scratch(host, sizeof *solver, ENGINE_HOST_MEMORY);
    if (!solver)
        return ENGINE_NO_MEMORY;
    *solver = {};
    solver->plan = plan;
    solver->positions = host->scratch(host, 3 * bytes, ENGINE_HOST_MEMORY);
    solver->velocities = host->scratch(host, 3 * bytes, ENGINE_HOST_MEMORY);
    solver->masses = host->scratch(host, bytes, ENGINE_HOST_MEMORY);
    solver->low = sets ? (unsigned long long *) host->scratch(host, sets * 2 * sum_bytes, ENGINE_CUDA_MEMORY) : nullptr;
    solver->high = solver->low ? solver->low + 3 * plan.count : nullptr;
    solver->scale = (nbody_scale *) host->scratch(host, (1 + NBODY_TURNS) * sizeof *solver->scale, ENGINE_CUDA_MEMORY);
    const size_t potentials = POTENTIAL_BLOCKS * sizeof(double);
    solver->potentials = (double *) host->scratch(host, potentials, ENGINE_CUDA_MEMORY);
    solver->host_potentials = (double *) host->scratch(host, potentials, ENGINE_HOST_MEMORY);
    *out = solver;
    const bool complete = solver->positions && solver->velocities && solver->masses && solver->scale &&
                          solver->potentials && solver->host_potentials && (sets == 0 || solver->low);
    return complete ? 0 : ENGINE_NO_MEMORY;
}

static int check_count(const engine_host *host, const struct nbody_plan &plan)
{
    if (plan.count <= NBODY_CUDA_BODIES_MAX)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "%llu bodies are too many for a GPU; expected at most %d",
                       (unsigned long long) plan.count, NBODY_CUDA_BODIES_MAX);
}

int nbody_cuda_open(const engine_call *call, uint64_t partials, uint32_t sets, nbody_solver **out)
{
    const engine_host *host = call->host;
    const struct nbody_plan plan = nbody_plan(call->plan);
    int status = check_count(host, plan);
    if (status == 0)
        status = allocate(host, plan, partials > 0 ? sets : 0, out);
    if (status)
        return status;
    nbody_solver *solver = *out;
    ENGINE_CUDA_CHECK(host, fetch_all(solver, call));
    const nbody_bodies bodies = bodies_of(solver);
    int meet;
    status = nbody_check_bodies(host, call->plan, &bodies, &meet);
    if (status)
        return status;
    if (meet) /* with a softening, the terms of bodies at one place are finite, so without mass they are 0 */
        solver->plan.softening = nbody_least_softening(plan.precision);
    scan_masses(solver);
    solver->shift = choose_shift(partials);
    solver->block_size = (uint32_t) engine_param_integer(call->plan, NBODY_BLOCK_SIZE);
    solver->block_stride = (uint32_t) engine_param_integer(call->plan, NBODY_BLOCK_STRIDE);
    solver->unroll = (uint32_t) engine_param_integer(call->plan, NBODY_UNROLL);
    int bytes = 0;
    const int device = call->plan->device;
    ENGINE_CUDA_CHECK(host, cudaDeviceGetAttribute(&solver->multiprocessors, cudaDevAttrMultiProcessorCount, device));
    ENGINE_CUDA_CHECK(host, cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    solver->block_bytes = (size_t) bytes;
    return 0;
}

/* ---- Metrics ---------------------------------------------------------------------------------------------------- */

/* The sum of a block's values, in a fixed order; valid in thread 0. */
static __device__ double sum_over_block(double *shared, double value)
{
    shared[threadIdx.x] = value;
    for (int width = THREADS / 2; width > 0; width /= 2) {
        __syncthreads();
        if ((int) threadIdx.x < width)
            shared[threadIdx.x] += shared[threadIdx.x + width];
    }
    return shared[0];
}

/* The potential at body i of the bodies of a tile with higher numbers. */
template <class T>
static __device__ double potential_with(const nbody_body<double> *tile, uint32_t count, uint32_t first, uint32_t i,
                                        const nbody_body<double> &body, double softening2)
{
    double sum = 0;
    for (uint32_t k = 0; k < count; k++) {
        const double x = tile[k].x - body.x, y = tile[k].y - body.y, z = tile[k].z - body.z;
        const double inverse = rsqrt(fma(x, x, fma(y, y, fma(z, z, softening2))));
        sum = fma(first + k > i ? tile[k].mass : 0.0, first + k > i ? inverse : 0.0, sum);
    }
    return sum;
}

/* Block b takes THREADS bodies at a time, every gridDim-th such group, with all bodies of higher numbers. */
template <class T>
static __global__ void __launch_bounds__(THREADS) add_potentials(nbody_field<T> field, double softening2, double *out)
{
    __shared__ nbody_body<double> tile[THREADS];
    __shared__ double sums[THREADS];
    double sum = 0;
    for (uint64_t first = (uint64_t) blockIdx.x * THREADS; first < field.count;
         first += (uint64_t) gridDim.x * THREADS) {
        const uint32_t i = (uint32_t) first + threadIdx.x;
        const nbody_body<double> body = nbody_user_body<double>(field, min(i, field.count - 1));
        double potential = 0;
        for (uint32_t j = (uint32_t) first; j < field.count; j += THREADS) {
            __syncthreads();
            if (j + threadIdx.x < field.count)
                tile[threadIdx.x] = nbody_user_body<double>(field, j + threadIdx.x);
            __syncthreads();
            potential += potential_with<T>(tile, min(field.count - j, (uint32_t) THREADS), j, i, body, softening2);
        }
        sum += i < field.count ? body.mass * potential : 0;
    }
    sum = sum_over_block(sums, sum);
    if (threadIdx.x == 0)
        out[blockIdx.x] = sum;
}

template <class T>
static cudaError_t launch_potentials(const nbody_solver *solver, const engine_call *call, uint32_t blocks)
{
    const double softening = solver->plan.softening;
    add_potentials<T><<<blocks, THREADS, 0, engine_cuda_stream(call)>>>(nbody_cuda_user_field<T>(solver, call),
                                                                        softening * softening, solver->potentials);
    return cudaGetLastError();
}

static cudaError_t measure_potential(const nbody_solver *solver, const engine_call *call, double *potential)
{
    const uint32_t blocks = engine_cuda_blocks(solver->plan.count, THREADS, POTENTIAL_BLOCKS);
    ENGINE_CUDA_TRY(
        nbody_by_precision(solver, [=](auto real) { return launch_potentials<decltype(real)>(solver, call, blocks); }));
    ENGINE_CUDA_TRY(cudaMemcpyAsync(solver->host_potentials, solver->potentials, blocks * sizeof(double),
                                    cudaMemcpyDeviceToHost, engine_cuda_stream(call)));
    ENGINE_CUDA_TRY(cudaStreamSynchronize(engine_cuda_stream(call)));
    *potential = 0;
    for (uint32_t b = 0; b < blocks; b++)
        *potential -= solver->plan.g * solver->host_potentials[b];
    return cudaSuccess;
}

int nbody_cuda_measure(void *self, const engine_call *call, double *values)
{
    const nbody_solver *solver = (const nbody_solver *) self;
    double potential = 0;
    ENGINE_CUDA_CHECK(call->host, fetch_all(solver, call));
    const nbody_bodies bodies = bodies_of(solver);
    const int status = nbody_measure_bodies(call->host, &bodies, values);
    if (status)
        return status;
    ENGINE_CUDA_CHECK(call->host, measure_potential(solver, call, &potential));
    nbody_set_potential(potential, values);
    return 0;
}
