/* What the three implementations on CUDA share: the start, the steps of nbody.h around the forces, and measuring. */
#include "cuda_steps.cuh"

#include <climits>
#include <cmath>

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

/* The last block to come here knows of all. */
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

/* Block (x, y): component y of 128 bodies. */
template <class T>
static __global__ void __launch_bounds__(THREADS)
    take_parts(const __grid_constant__ nbody_step<T> step, nbody_parts parts)
{
    __shared__ int farthest;
    const uint32_t body = blockIdx.x * THREADS + threadIdx.x;
    int exponent = INT_MIN;
    if (threadIdx.x == 0)
        farthest = INT_MIN;
    if (body < step.field.count)
        exponent = nbody_move(step, parts, body, blockIdx.y, nbody_extent(step.field, step.field.scale->extent));
    __syncthreads();
    atomicMax(&farthest, exponent);
    __syncthreads();
    if (threadIdx.x == 0)
        set_extent(step.field, farthest);
}

static void *origin(const engine_call *call, uint32_t field)
{
    return engine_field_buffer(call, field)->origin[call->current];
}

template <class T> nbody_field<T> nbody_cuda_user_field(const nbody_solver *solver, const engine_call *call)
{
    nbody_field<T> field = {};
    field.position = (T *) origin(call, NBODY_POSITION);
    field.velocity = (T *) origin(call, NBODY_VELOCITY);
    field.acceleration = (T *) origin(call, NBODY_ACCELERATION);
    field.mass = (const T *) origin(call, NBODY_MASS);
    field.stride = engine_field_buffer(call, NBODY_POSITION)->component_stride / (int64_t) sizeof(T);
    field.low = solver->low, field.high = solver->high;
    field.scale = solver->scale;
    field.count = (uint32_t) solver->plan.count;
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

template <class T> static cudaError_t enqueue(const nbody_solver *solver, const engine_call *call, nbody_parts parts)
{
    const dim3 blocks(nbody_divide_up(solver->plan.count, THREADS), 3);
    take_parts<T><<<blocks, THREADS, 0, (cudaStream_t) call->stream>>>(nbody_cuda_step<T>(solver, call), parts);
    return cudaGetLastError();
}

static cudaError_t take(const nbody_solver *solver, const engine_call *call, nbody_parts parts)
{
    return solver->plan.precision == NBODY_DOUBLE ? enqueue<double>(solver, call, parts)
                                                  : enqueue<float>(solver, call, parts);
}

/* Sums that an earlier call left are no use: the state is another. */
static cudaError_t start_anew(const nbody_solver *solver, const engine_call *call)
{
    const cudaStream_t stream = (cudaStream_t) call->stream;
    const size_t bytes = 3 * solver->plan.count * sizeof *solver->low;
    NBODY_TRY(nbody_cuda_gather(solver, call));
    NBODY_TRY(cudaMemsetAsync(solver->scale, 0, sizeof *solver->scale, stream));
    if (solver->low) {
        NBODY_TRY(cudaMemsetAsync(solver->low, 0, bytes, stream));
        NBODY_TRY(cudaMemsetAsync(solver->high, 0, bytes, stream));
    }
    return take(solver, call, {false, false, false});
}

static cudaError_t take_steps(const nbody_solver *solver, const engine_call *call)
{
    const bool sums = solver->low != nullptr, fresh = call->flags & ENGINE_CALL_FRESH;
    if (fresh)
        NBODY_TRY(start_anew(solver, call));
    if (fresh && solver->plan.integrator == NBODY_LEAPFROG)
        NBODY_TRY(solver->forces(solver, call));
    if (solver->plan.integrator == NBODY_LEAPFROG)
        NBODY_TRY(take(solver, call, {fresh && sums, false, true}));
    if (solver->resident)
        return solver->resident(solver, call);
    for (uint64_t step = 1; step <= call->steps; step++) {
        NBODY_TRY(solver->forces(solver, call));
        NBODY_TRY(take(solver, call, nbody_after_forces(solver->plan.integrator, sums, step == call->steps)));
    }
    return cudaSuccess;
}

int nbody_cuda_advance(void *self, engine_call *call)
{
    const nbody_solver *solver = (const nbody_solver *) self;
    cudaError_t error = take_steps(solver, call);
    if (error == cudaSuccess)
        error = nbody_cuda_scatter(solver, call);
    if (error == cudaSuccess)
        return 0;
    (void) cudaGetLastError();
    if (solver->block_size)
        return -ENGINE_FAIL(call->host, ENGINE_DEVICE, "launch with block_size = %u: %s: %s", solver->block_size,
                            cudaGetErrorName(error), cudaGetErrorString(error));
    return -ENGINE_FAIL(call->host, ENGINE_DEVICE, "launch: %s: %s", cudaGetErrorName(error),
                        cudaGetErrorString(error));
}

/* ---- The start -------------------------------------------------------------------------------------------------- */

int nbody_cuda_layout(const engine_host *host, const engine_plan *plan, uint32_t field, engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->planar = 1;
    return 0;
}

static size_t number_bytes(const struct nbody_plan *plan)
{
    return plan->precision == NBODY_DOUBLE ? sizeof(double) : sizeof(float);
}

/* Copies a field of `components` to host memory, dense. */
static cudaError_t fetch(const struct nbody_plan *plan, const engine_call *call, uint32_t field, int components,
                         void *to)
{
    const engine_buffer *buffer = engine_field_buffer(call, field);
    const size_t bytes = plan->count * number_bytes(plan);
    const char *from = (const char *) buffer->origin[call->current];
    for (int c = 0; c < components; c++)
        NBODY_TRY(cudaMemcpyAsync((char *) to + c * bytes, from + c * buffer->component_stride, bytes,
                                  cudaMemcpyDeviceToHost, (cudaStream_t) call->stream));
    return cudaSuccess;
}

static cudaError_t fetch_all(const nbody_solver *solver, const engine_call *call)
{
    NBODY_TRY(fetch(&solver->plan, call, NBODY_POSITION, 3, solver->positions));
    NBODY_TRY(fetch(&solver->plan, call, NBODY_VELOCITY, 3, solver->velocities));
    NBODY_TRY(fetch(&solver->plan, call, NBODY_MASS, 1, solver->masses));
    return cudaStreamSynchronize((cudaStream_t) call->stream);
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

static void look_at_masses(nbody_solver *solver)
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

/* As many partial sums below 2^shift as come to a body fit the low limb. */
static int choose_shift(uint64_t partials)
{
    return 61 - ilogb((double) partials + 1);
}

constexpr uint32_t POTENTIAL_BLOCKS = 1024;

static int allocate(const engine_host *host, const struct nbody_plan &plan, bool sums, nbody_solver **out)
{
    const size_t bytes = plan.count * number_bytes(&plan), sum_bytes = 3 * plan.count * sizeof(uint64_t);
    nbody_solver *solver = (nbody_solver *) host->scratch(host, sizeof *solver, ENGINE_HOST_MEMORY);
    if (!solver)
        return ENGINE_NO_MEMORY;
    *solver = {};
    solver->plan = plan;
    solver->positions = host->scratch(host, 3 * bytes, ENGINE_HOST_MEMORY);
    solver->velocities = host->scratch(host, 3 * bytes, ENGINE_HOST_MEMORY);
    solver->masses = host->scratch(host, bytes, ENGINE_HOST_MEMORY);
    solver->low = sums ? (unsigned long long *) host->scratch(host, sum_bytes, ENGINE_CUDA_MEMORY) : nullptr;
    solver->high = sums ? (unsigned long long *) host->scratch(host, sum_bytes, ENGINE_CUDA_MEMORY) : nullptr;
    solver->scale = (nbody_scale *) host->scratch(host, sizeof *solver->scale, ENGINE_CUDA_MEMORY);
    const size_t potentials = POTENTIAL_BLOCKS * sizeof(double);
    solver->potentials = (double *) host->scratch(host, potentials, ENGINE_CUDA_MEMORY);
    solver->host_potentials = (double *) host->scratch(host, potentials, ENGINE_HOST_MEMORY);
    *out = solver;
    const bool complete = solver->positions && solver->velocities && solver->masses && solver->scale &&
                          solver->potentials && solver->host_potentials && (!sums || (solver->low && solver->high));
    return complete ? 0 : ENGINE_NO_MEMORY;
}

static int check_count(const engine_host *host, const struct nbody_plan &plan)
{
    const uint64_t most = 1u << 24; /* numbers of blocks and indices stay below 2^31 */
    if (plan.count <= most)
        return 0;
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "%llu bodies; on a GPU %llu is the most",
                       (unsigned long long) plan.count, (unsigned long long) most);
}

int nbody_cuda_open(const engine_call *call, uint64_t partials, nbody_solver **out)
{
    const engine_host *host = call->host;
    const struct nbody_plan plan = nbody_plan(call->plan);
    int status = check_count(host, plan);
    if (status == 0)
        status = allocate(host, plan, partials > 0, out);
    if (status)
        return status;
    nbody_solver *solver = *out;
    NBODY_CHECK(host, fetch_all(solver, call));
    const nbody_bodies bodies = bodies_of(solver);
    status = nbody_check_bodies(host, call->plan, &bodies);
    if (status)
        return status;
    look_at_masses(solver);
    solver->shift = choose_shift(partials);
    solver->block_size = (uint32_t) engine_param_value(call->plan, NBODY_BLOCK_SIZE)->integer;
    solver->block_stride = (uint32_t) engine_param_value(call->plan, NBODY_BLOCK_STRIDE)->integer;
    solver->unroll = (uint32_t) engine_param_value(call->plan, NBODY_UNROLL)->integer;
    NBODY_CHECK(host,
                cudaDeviceGetAttribute(&solver->multiprocessors, cudaDevAttrMultiProcessorCount, call->plan->device));
    return 0;
}

/* ---- Measuring -------------------------------------------------------------------------------------------------- */

/* Sum of the block's threads' numbers, in thread 0, always in the same order. */
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

template <class T> static __device__ nbody_body<double> read_body(const nbody_field<T> &field, uint32_t i)
{
    const T *x = field.position + i;
    return {(double) x[0], (double) x[field.stride], (double) x[2 * field.stride], (double) field.mass[i]};
}

/* Of body i with the tile's, in double. */
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

/* Block b takes groups b, b + POTENTIAL_BLOCKS, … of bodies with all that come behind them. */
template <class T>
static __global__ void __launch_bounds__(THREADS) add_potentials(nbody_field<T> field, double softening2, double *out)
{
    __shared__ nbody_body<double> tile[THREADS];
    __shared__ double sums[THREADS];
    double sum = 0;
    for (uint64_t first = (uint64_t) blockIdx.x * THREADS; first < field.count;
         first += (uint64_t) gridDim.x * THREADS) {
        const uint32_t i = (uint32_t) first + threadIdx.x;
        const nbody_body<double> body = read_body(field, min(i, field.count - 1));
        double potential = 0;
        for (uint32_t j = (uint32_t) first; j < field.count; j += THREADS) {
            __syncthreads();
            if (j + threadIdx.x < field.count)
                tile[threadIdx.x] = read_body(field, j + threadIdx.x);
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
static cudaError_t enqueue_potentials(const nbody_solver *solver, const engine_call *call, uint32_t blocks)
{
    const double softening = solver->plan.softening;
    add_potentials<T><<<blocks, THREADS, 0, (cudaStream_t) call->stream>>>(nbody_cuda_user_field<T>(solver, call),
                                                                           softening * softening, solver->potentials);
    return cudaGetLastError();
}

static cudaError_t measure_potential(const nbody_solver *solver, const engine_call *call, double *potential)
{
    const uint32_t groups = nbody_divide_up(solver->plan.count, THREADS);
    const uint32_t blocks = groups < POTENTIAL_BLOCKS ? groups : POTENTIAL_BLOCKS;
    NBODY_TRY(solver->plan.precision == NBODY_DOUBLE ? enqueue_potentials<double>(solver, call, blocks)
                                                     : enqueue_potentials<float>(solver, call, blocks));
    NBODY_TRY(cudaMemcpyAsync(solver->host_potentials, solver->potentials, blocks * sizeof(double),
                              cudaMemcpyDeviceToHost, (cudaStream_t) call->stream));
    NBODY_TRY(cudaStreamSynchronize((cudaStream_t) call->stream));
    *potential = 0;
    for (uint32_t b = 0; b < blocks; b++)
        *potential -= solver->plan.g * solver->host_potentials[b];
    return cudaSuccess;
}

int nbody_cuda_measure(void *self, const engine_call *call, double *values)
{
    const nbody_solver *solver = (const nbody_solver *) self;
    double potential = 0;
    NBODY_CHECK(call->host, fetch_all(solver, call));
    const nbody_bodies bodies = bodies_of(solver);
    const int status = nbody_measure_bodies(call->host, &bodies, values);
    if (status)
        return status;
    NBODY_CHECK(call->host, measure_potential(solver, call, &potential));
    nbody_set_potential(potential, values);
    return 0;
}
