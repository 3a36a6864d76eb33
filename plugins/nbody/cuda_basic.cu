/* cuda-basic: a thread for each body, as in the n-body repository of huolanmiao (docs/explain/source-texts.md). Every
 * thread reads every body from global memory. docs/lab/nbody.md has the rates. 4096 bodies are 128 warps for 528 schedulers. With more bodies the loads are the limit: an interaction has four, one
 * after another, and a warp waits for each. */
#include "cuda_force.cuh"

/* Terms are added in T, this many at a time, and these sums in double. */
constexpr uint32_t CHUNK = 64;

/* The attraction of bodies [begin, end) on body i. */
template <class T>
static __device__ nbody_vector<T> attract(const nbody_field<T> &field, uint32_t i, const nbody_body<T> &body,
                                          uint32_t begin, uint32_t end)
{
    nbody_vector<T> sum = {};
    for (uint32_t j = begin; j < end; j++) {
        const nbody_body<T> other = nbody_user_body<T>(field, j);
        const nbody_vector<T> d = nbody_between(body, other);
        const T weight = nbody_inverse_cube(nbody_square(d, field.softening * field.softening), other.mass);
        nbody_accumulate(sum, j == i ? T(0) : weight, d);
    }
    return sum;
}

template <class T> static __global__ void __launch_bounds__(1024) set_accelerations(nbody_field<T> field, double g)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= field.count)
        return;
    const nbody_body<T> body = nbody_user_body<T>(field, i);
    nbody_vector<double> sum = {};
    for (uint32_t begin = 0; begin < field.count; begin += CHUNK) {
        const nbody_vector<T> part = attract(field, i, body, begin, min(begin + CHUNK, field.count));
        sum.x += part.x, sum.y += part.y, sum.z += part.z;
    }
    T *a = field.acceleration + i;
    a[0] = (T) (g * sum.x), a[field.stride] = (T) (g * sum.y), a[2 * field.stride] = (T) (g * sum.z);
}

template <class T> static cudaError_t launch(const nbody_solver *solver, const engine_call *call)
{
    const uint32_t threads = solver->block_size, blocks = engine_cuda_blocks(solver->plan.count, threads);
    const nbody_field<T> field = nbody_cuda_field<T>(solver, call);
    set_accelerations<T><<<blocks, threads, 0, engine_cuda_stream(call)>>>(field, solver->plan.g);
    return cudaGetLastError();
}

static cudaError_t forces(const nbody_solver *solver, const engine_call *call)
{
    return nbody_by_precision(solver, [=](auto real) { return launch<decltype(real)>(solver, call); });
}

int nbody_cuda_basic_create(const engine_call *call, void **self)
{
    nbody_solver *solver = nullptr;
    const int status = nbody_cuda_open(call, 0, 0, &solver);
    if (status)
        return status;
    solver->forces = forces;
    *self = solver;
    const void *kernel =
        nbody_by_precision(solver, [](auto real) { return (const void *) set_accelerations<decltype(real)>; });
    return cuda_check_threads(call->host, kernel, solver->block_size);
}
