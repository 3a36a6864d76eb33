/* Each pair from both sides: threads own R bodies each, the others pass through shared memory. Blocks (x, y): the bodies
 * they own; the part of the others that they meet, `part` bodies. */
#ifndef NBODY_CUDA_PLAIN_CUH
#define NBODY_CUDA_PLAIN_CUH

#include "cuda_force.cuh"

constexpr uint32_t NBODY_PLAIN_THREADS = 128;

template <class T, int R>
static __device__ inline void nbody_attract(nbody_vector<T> (&sum)[R], const nbody_body<T> (&body)[R],
                                            const nbody_body<T> &other, T softening, uint32_t distance)
{
#pragma unroll
    for (int r = 0; r < R; r++) {
        const nbody_vector<T> d = nbody_between(body[r], other);
        const T weight = nbody_inverse_cube(nbody_square(d, softening), other.mass);
        nbody_gather(sum[r], distance == r * NBODY_PLAIN_THREADS ? T(0) : weight, d);
    }
}

template <class T, int R>
static __global__ void __launch_bounds__(NBODY_PLAIN_THREADS)
    nbody_plain(const __grid_constant__ nbody_field<T> field, uint32_t part)
{
    __shared__ nbody_body<T> tile[NBODY_PLAIN_THREADS];
    const nbody_reader<T> read(field);
    const uint32_t i = blockIdx.x * NBODY_PLAIN_THREADS * R + threadIdx.x;
    const uint32_t begin = blockIdx.y * part, end = begin + part;
    nbody_body<T> body[R];
    nbody_vector<T> sum[R] = {};
#pragma unroll
    for (int r = 0; r < R; r++)
        body[r] = read(i + r * NBODY_PLAIN_THREADS);
    for (uint32_t first = begin; first < end; first += NBODY_PLAIN_THREADS) {
        const uint32_t count = min(end - first, NBODY_PLAIN_THREADS);
        __syncthreads();
        tile[threadIdx.x] = read(first + threadIdx.x);
        __syncthreads();
#pragma unroll 8
        for (uint32_t k = 0; k < count; k++)
            nbody_attract<T, R>(sum, body, tile[k], read.softening, first + k - i);
    }
#pragma unroll
    for (int r = 0; r < R; r++)
        nbody_add(field, i + r * NBODY_PLAIN_THREADS, sum[r], T(1));
}

#endif
