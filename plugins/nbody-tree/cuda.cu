/* cuda: a walk through a tree for each group of bodies (Barnes and Hut; see cuda_walk.cu), with cells up to
 * quadrupoles. The tree is made again for each evaluation, on the device (cuda_tree.cuh). A cell attracts as a whole by
 * the rule of cpu, in which r, the radius of the bodies that are attracted, is 0, because each of them is attracted on
 * its own.
 *
 * Why not the expansions about the targets, as on the CPU: with quadrupoles, a body meets few enough cells and bodies
 * (docs/lab/nbody-tree.md counts them). */
#include "cuda.h"

#include <cmath>

constexpr int THREADS = 256;
constexpr double NARROW_FROM = 1e-5; /* accuracies from here on: the arithmetic is in float, if the fields are */

/* The error of a cell's attraction, in units of the accuracy. 99 of 100 forces on the bodies of a sphere, a cube and
 * two galaxies then have errors below it: see the README. The errors of many cells add up like random numbers, so a
 * smaller accuracy needs a smaller share. Between two accuracies, its logarithm is linear. */
static const struct {
    double accuracy, error;
} choices[] = {{1e-2, 2}, {1e-3, 1}, {1e-4, 0.45}, {1e-5, 0.15}, {1e-6, 0.04}};

static double error_for(double accuracy)
{
    int i = 0;
    while (i < 3 && accuracy < choices[i + 1].accuracy)
        i++;
    const double part = log(accuracy / choices[i].accuracy) / log(choices[i + 1].accuracy / choices[i].accuracy);
    return accuracy * choices[i].error * pow(choices[i + 1].error / choices[i].error, part);
}

/* ---- Steps ------------------------------------------------------------------------------------------------------ */

static __device__ inline float step_by(float h, float rate, float value)
{
    return nbody_step_f32(h, rate, value);
}

static __device__ inline double step_by(double h, double rate, double value)
{
    return nbody_step_f64(h, rate, value);
}

/* What a step does around the forces. */
template <class F> struct move {
    F *position, *velocity;
    const F *acceleration;
    int64_t stride;
    uint32_t count;
    F kick, drift;
    bool close, open; /* the kick that ends a step; the kick and the drift that begin one */
};

/* Block (x, y): component y of THREADS bodies. */
template <class F> static __global__ void __launch_bounds__(THREADS) move_bodies(const move<F> move)
{
    const uint32_t body = blockIdx.x * THREADS + threadIdx.x;
    const int64_t at = body + blockIdx.y * move.stride;
    if (body >= move.count)
        return;
    F v = move.velocity[at];
    if (move.close)
        v = step_by(move.kick, move.acceleration[at], v);
    if (move.open) {
        v = step_by(move.kick, move.acceleration[at], v);
        move.position[at] = step_by(move.drift, v, move.position[at]);
    }
    move.velocity[at] = v;
}

template <class F> static cudaError_t launch_move(const tree_cuda *tree, const engine_call *call, bool close, bool open)
{
    const struct nbody_plan &plan = tree->plan;
    move<F> move;
    move.position = (F *) nbody_origin(call, NBODY_POSITION);
    move.velocity = (F *) nbody_origin(call, NBODY_VELOCITY);
    move.acceleration = (const F *) nbody_origin(call, NBODY_ACCELERATION);
    move.stride = engine_field_buffer(call, NBODY_POSITION)->component_stride / (int64_t) sizeof(F);
    move.count = (uint32_t) plan.count;
    move.kick = (F) (plan.integrator == NBODY_LEAPFROG ? plan.dt / 2 : plan.dt);
    move.drift = (F) plan.dt;
    move.close = close, move.open = open;
    move_bodies<<<dim3(engine_cuda_blocks(plan.count, THREADS), 3), THREADS, 0, engine_cuda_stream(call)>>>(move);
    return cudaGetLastError();
}

static int lost(const engine_call *call, cudaError_t error)
{
    return error == cudaSuccess ? 0 : -CUDA_FAIL(call->host, error, "launch");
}

static int enqueue_move(const tree_cuda *tree, const engine_call *call, bool close, bool open)
{
    return lost(call, tree->plan.precision == NBODY_DOUBLE ? launch_move<double>(tree, call, close, open)
                                                           : launch_move<float>(tree, call, close, open));
}

/* Each part of a divided run has the whole tree, computes the forces on some groups, and gets the others. */
static int enqueue_forces(const tree_cuda *tree, const engine_call *call)
{
    const uint64_t size = 3 * nbody_number_bytes(&tree->plan);
    int status = lost(call, tree_build(tree, call));
    if (status == 0)
        status = lost(call, tree_forces(tree, call));
    if (status || !tree->forces)
        return status;
    status = engine_host_team(call->host)->gather(call, tree->forces, tree->plan.count * size, TREE_GROUP * size);
    return status ? status : lost(call, tree_put_forces(tree, call));
}

int nbody_tree_cuda_advance(void *self, engine_call *call)
{
    const tree_cuda *tree = (const tree_cuda *) self;
    const bool leapfrog = tree->plan.integrator == NBODY_LEAPFROG;
    int status = 0;
    if (leapfrog && call->flags & ENGINE_CALL_FRESH)
        status = enqueue_forces(tree, call);
    if (leapfrog && status == 0)
        status = enqueue_move(tree, call, false, true);
    for (uint64_t step = 1; step <= call->steps && status == 0; step++) {
        status = enqueue_forces(tree, call);
        if (status == 0)
            status = enqueue_move(tree, call, leapfrog, !leapfrog || step < call->steps);
    }
    return status;
}

/* ---- The start -------------------------------------------------------------------------------------------------- */

enum { HOST_POSITIONS, HOST_VELOCITIES, HOST_MASSES, HOSTS };

static cudaError_t fetch(const tree_cuda *tree, const engine_call *call, uint32_t field, int components, void *to)
{
    const engine_buffer *buffer = engine_field_buffer(call, field);
    const size_t bytes = tree->plan.count * nbody_number_bytes(&tree->plan);
    const char *from = (const char *) buffer->origin[call->current];
    for (int c = 0; c < components; c++)
        ENGINE_CUDA_TRY(cudaMemcpyAsync((char *) to + c * bytes, from + c * buffer->component_stride, bytes,
                                        cudaMemcpyDeviceToHost, engine_cuda_stream(call)));
    return cudaSuccess;
}

/* Copies the state to host memory. */
static cudaError_t fetch_all(const tree_cuda *tree, const engine_call *call, nbody_bodies *bodies)
{
    const int64_t count = (int64_t) tree->plan.count;
    ENGINE_CUDA_TRY(fetch(tree, call, NBODY_POSITION, 3, tree->hosts[HOST_POSITIONS]));
    ENGINE_CUDA_TRY(fetch(tree, call, NBODY_VELOCITY, 3, tree->hosts[HOST_VELOCITIES]));
    ENGINE_CUDA_TRY(fetch(tree, call, NBODY_MASS, 1, tree->hosts[HOST_MASSES]));
    *bodies = {tree->plan.count,
               tree->plan.precision,
               {tree->hosts[HOST_POSITIONS], 1, count},
               {tree->hosts[HOST_VELOCITIES], 1, count},
               {tree->hosts[HOST_MASSES], 1, count}};
    return cudaStreamSynchronize(engine_cuda_stream(call));
}

static int allocate_hosts(const engine_host *host, tree_cuda *tree)
{
    const uint64_t bytes = tree->plan.count * nbody_number_bytes(&tree->plan);
    const uint64_t potentials = tree_groups(tree->plan.count) * sizeof(double);
    tree->hosts[HOST_POSITIONS] = host->scratch(host, 3 * bytes, ENGINE_HOST_MEMORY);
    tree->hosts[HOST_VELOCITIES] = host->scratch(host, 3 * bytes, ENGINE_HOST_MEMORY);
    tree->hosts[HOST_MASSES] = host->scratch(host, bytes, ENGINE_HOST_MEMORY);
    tree->host_potentials = (double *) host->scratch(host, potentials, ENGINE_HOST_MEMORY);
    tree->potentials = (double *) host->scratch(host, potentials, ENGINE_CUDA_MEMORY);
    return tree->hosts[HOST_POSITIONS] && tree->hosts[HOST_VELOCITIES] && tree->hosts[HOST_MASSES] &&
                   tree->host_potentials && tree->potentials
               ? 0
               : ENGINE_NO_MEMORY;
}

static int mass_exponent(const tree_cuda *tree)
{
    const void *masses = tree->hosts[HOST_MASSES];
    double sum = 0;
    for (uint64_t i = 0; i < tree->plan.count; i++)
        sum +=
            tree->plan.precision == NBODY_DOUBLE ? ((const double *) masses)[i] : (double) ((const float *) masses)[i];
    return sum > 0 ? ilogb(sum) + 1 : 0;
}

static int open_tree(const engine_call *call, tree_cuda *tree)
{
    const engine_host *host = call->host;
    const double accuracy = engine_param_real(call->plan, NBODY_TREE_ACCURACY);
    nbody_bodies bodies;
    *tree = {};
    tree->plan = nbody_common_plan(call->plan);
    tree->leaves = (uint32_t) engine_divide_up(tree->plan.count, TREE_UNIT);
    tree->wide = tree->plan.precision == NBODY_DOUBLE || accuracy < NARROW_FROM;
    tree->error = error_for(accuracy);
    ENGINE_CUDA_CHECK(
        host, cudaDeviceGetAttribute(&tree->multiprocessors, cudaDevAttrMultiProcessorCount, call->plan->device));
    ENGINE_CUDA_CHECK(host, tree_sort_bytes(tree->plan.count, &tree->sort_bytes));
    int status = allocate_hosts(host, tree);
    if (status == 0)
        status = tree_allocate(host, tree, call->plan->part.count > 1);
    if (status)
        return status;
    ENGINE_CUDA_CHECK(host, fetch_all(tree, call, &bodies));
    tree->mass_exponent = mass_exponent(tree);
    int meet; /* the kernels have a softening always */
    return nbody_check_bodies(host, call->plan, &bodies, &meet);
}

int nbody_tree_cuda_create(const engine_call *call, void **self)
{
    tree_cuda *tree = (tree_cuda *) call->host->scratch(call->host, sizeof *tree, ENGINE_HOST_MEMORY);
    const int status = tree ? open_tree(call, tree) : ENGINE_NO_MEMORY;
    if (status)
        return status;
    call->host->note(call->host, "arithmetic", "%s", tree->wide ? "double" : "float");
    *self = tree;
    return 0;
}

/* ---- Metrics ---------------------------------------------------------------------------------------------------- */

static int measure_potential(const tree_cuda *tree, const engine_call *call, double *potential)
{
    const uint64_t groups = tree_groups(tree->plan.count), size = sizeof(double);
    double sum = 0;
    ENGINE_CUDA_CHECK(call->host, tree_build(tree, call));
    ENGINE_CUDA_CHECK(call->host, tree_potentials(tree, call));
    const int status = engine_host_team(call->host)->gather(call, tree->potentials, groups * size, size);
    if (status)
        return status;
    ENGINE_CUDA_CHECK(call->host, cudaMemcpyAsync(tree->host_potentials, tree->potentials, groups * size,
                                                  cudaMemcpyDeviceToHost, engine_cuda_stream(call)));
    ENGINE_CUDA_CHECK(call->host, cudaStreamSynchronize(engine_cuda_stream(call)));
    for (uint64_t g = 0; g < groups; g++)
        sum += tree->host_potentials[g];
    *potential = -tree->plan.g * sum / 2;
    return 0;
}

int nbody_tree_cuda_measure(void *self, const engine_call *call, double *values)
{
    const tree_cuda *tree = (const tree_cuda *) self;
    double potential = 0;
    nbody_bodies bodies;
    ENGINE_CUDA_CHECK(call->host, fetch_all(tree, call, &bodies));
    int status = nbody_measure_bodies(call->host, &bodies, values);
    if (status == 0)
        status = measure_potential(tree, call, &potential);
    if (status == 0)
        nbody_set_potential(potential, values);
    return status;
}
