/* Each pair from both sides: a thread has one body, and the others pass through shared memory. Block (x, y) computes
 * the attraction of part y of all bodies, `part` of them, on the bodies of block x. */
#ifndef NBODY_CUDA_PLAIN_CUH
#define NBODY_CUDA_PLAIN_CUH

#include "cuda_force.cuh"

constexpr uint32_t NBODY_PLAIN_THREADS = 128;

template <class T>
static __global__ void __launch_bounds__(NBODY_PLAIN_THREADS)
    nbody_plain(const __grid_constant__ nbody_field<T> field, uint32_t part)
{
    __shared__ nbody_body<T> tile[NBODY_PLAIN_THREADS];
    const nbody_reader<T> read(field, field.scale->extent);
    const uint32_t i = blockIdx.x * NBODY_PLAIN_THREADS + threadIdx.x,
                   begin = (blockIdx.y * field.shares + field.share) * part, end = begin + part;
    const nbody_body<T> body = read(i);
    nbody_vector<T> sum = {};
    for (uint32_t first = begin; first < end; first += NBODY_PLAIN_THREADS) {
        const uint32_t count = min(end - first, NBODY_PLAIN_THREADS);
        __syncthreads();
        tile[threadIdx.x] = read(first + threadIdx.x);
        __syncthreads();
        if (read.softening == 0)
            nbody_attract<8, true>(sum, body, tile, count, read.softening, i - first);
        else
            nbody_attract<8, false>(sum, body, tile, count, read.softening, i - first);
    }
    nbody_add(field, i, sum, T(1));
}

#endif
