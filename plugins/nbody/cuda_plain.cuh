/* Each pair from both sides: a body a thread, the others pass through shared memory. Block (x, y): the bodies of block
 * x with part y of all, `part` bodies. */
#ifndef NBODY_CUDA_PLAIN_CUH
#define NBODY_CUDA_PLAIN_CUH

#include "cuda_force.cuh"

constexpr uint32_t NBODY_PLAIN_THREADS = 128;

/* MASK: the body itself, number `self`, may be among the others, and there is no softening to make its own term 0. */
template <bool MASK, class T>
static __device__ inline void nbody_attract(nbody_vector<T> &sum, const nbody_body<T> &body, const nbody_body<T> *tile,
                                            uint32_t count, T softening, uint32_t self)
{
#pragma unroll 8
    for (uint32_t k = 0; k < count; k++) {
        const nbody_body<T> other = tile[k];
        const nbody_vector<T> d = nbody_between(body, other);
        const T weight = nbody_inverse_cube(nbody_square(d, softening), other.mass);
        nbody_gather(sum, MASK && k == self ? T(0) : weight, d);
    }
}

template <class T>
static __global__ void __launch_bounds__(NBODY_PLAIN_THREADS)
    nbody_plain(const __grid_constant__ nbody_field<T> field, uint32_t part)
{
    __shared__ nbody_body<T> tile[NBODY_PLAIN_THREADS];
    const nbody_reader<T> read(field, field.scale->extent);
    const uint32_t i = blockIdx.x * NBODY_PLAIN_THREADS + threadIdx.x, begin = blockIdx.y * part, end = begin + part;
    const nbody_body<T> body = read(i);
    nbody_vector<T> sum = {};
    for (uint32_t first = begin; first < end; first += NBODY_PLAIN_THREADS) {
        const uint32_t count = min(end - first, NBODY_PLAIN_THREADS);
        __syncthreads();
        tile[threadIdx.x] = read(first + threadIdx.x);
        __syncthreads();
        if (read.softening == 0)
            nbody_attract<true>(sum, body, tile, count, read.softening, i - first);
        else
            nbody_attract<false>(sum, body, tile, count, read.softening, i - first);
    }
    nbody_add(field, i, sum, T(1));
}

#endif
