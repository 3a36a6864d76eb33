/* `cuda-text`: the kernel of Taichi issue 5338 (docs/explain/source-texts.md), a rung of the ladder of gravity
 * (docs/kernels/nbody.md). A thread has one body. The threads of a block load a tile of bodies into shared memory, one
 * each, and then all of them read the same body of the tile at a time. The inner loop is unrolled by 8. */
#include "cuda_force.cuh"

constexpr uint32_t TILE = 128; /* threads of a block, and bodies in shared memory */

template <class T> static __global__ void __launch_bounds__(TILE) set_accelerations(nbody_field<T> field, double g)
{
    __shared__ nbody_body<T> tile[TILE];
    const uint32_t i = blockIdx.x * TILE + threadIdx.x;
    const nbody_body<T> body = nbody_user_body<T>(field, min(i, field.count - 1));
    nbody_vector<double> sum = {};
    for (uint32_t begin = 0; begin < field.count; begin += TILE) {
        const uint32_t count = min(TILE, field.count - begin);
        __syncthreads();
        if (threadIdx.x < count)
            tile[threadIdx.x] = nbody_user_body<T>(field, begin + threadIdx.x);
        __syncthreads();
        nbody_vector<T> part = {};
        nbody_attract<8, true>(part, body, tile, count, field.softening * field.softening, i - begin);
        sum.x += part.x, sum.y += part.y, sum.z += part.z;
    }
    if (i >= field.count)
        return;
    T *a = field.acceleration + i;
    a[0] = (T) (g * sum.x), a[field.stride] = (T) (g * sum.y), a[2 * field.stride] = (T) (g * sum.z);
}

template <class T> static cudaError_t launch(const nbody_solver *solver, const engine_call *call)
{
    const uint32_t blocks = engine_cuda_blocks(solver->plan.count, TILE);
    set_accelerations<T>
        <<<blocks, TILE, 0, engine_cuda_stream(call)>>>(nbody_cuda_field<T>(solver, call), solver->plan.g);
    return cudaGetLastError();
}

static cudaError_t forces(const nbody_solver *solver, const engine_call *call)
{
    return nbody_by_precision(solver, [=](auto real) { return launch<decltype(real)>(solver, call); });
}

int nbody_cuda_text_create(const engine_call *call, void **self)
{
    nbody_solver *solver = nullptr;
    const int status = nbody_cuda_open(call, 0, 0, &solver);
    if (status)
        return status;
    solver->block_size = 0;
    solver->forces = forces;
    *self = solver;
    return 0;
}
