/* The arithmetic of one interaction on CUDA. */
#ifndef NBODY_CUDA_FORCE_CUH
#define NBODY_CUDA_FORCE_CUH

#include "cuda_bodies.cuh"
#include "cuda_device.cuh"

/* factor * square^(-3/2). */
static __device__ inline float nbody_inverse_cube(float square, float factor)
{
    const float root = nbody_inverse_root(square);
    return root * root * (root * factor);
}

static __device__ inline float nbody_inverse_cube(float square)
{
    const float root = nbody_inverse_root(square);
    return root * root * root;
}

/* square^(-3/2) = y^3 (1 - e)^(-3/2) = y^3 (1 + 3/2 e + 15/8 e^2 + 35/16 e^3 + ...) for the approximate root y and
 * e = 1 - square * y^2, which is at most 2^-20. The term with e^3 is below 2^-58 and is left out. */
static __device__ inline double nbody_inverse_cube(double square)
{
    const double root = nbody_inverse_root(square), root2 = root * root, root3 = root2 * root;
    const double error = fma(-square, root2, 1.0);
    return fma(root3 * error, fma(1.875, error, 1.5), root3);
}

static __device__ inline double nbody_inverse_cube(double square, double factor)
{
    return nbody_inverse_cube(square) * factor;
}

template <class T>
static __device__ inline nbody_vector<T> nbody_between(const nbody_body<T> &from, const nbody_body<T> &to)
{
    return {to.x - from.x, to.y - from.y, to.z - from.z};
}

/* |d|^2 + softening, which is squared already. As the addend of the first multiply-add it costs nothing. */
template <class T> static __device__ inline T nbody_square(const nbody_vector<T> &d, T softening)
{
    return fma(d.z, d.z, fma(d.y, d.y, fma(d.x, d.x, softening)));
}

/* sum += weight * d */
template <class T>
static __device__ inline void nbody_accumulate(nbody_vector<T> &sum, T weight, const nbody_vector<T> &d)
{
    sum.x = fma(weight, d.x, sum.x);
    sum.y = fma(weight, d.y, sum.y);
    sum.z = fma(weight, d.z, sum.z);
}

/* Adds the attraction of `count` bodies on a body, each pair from this side alone. MASK: leaves out number `self`, the
 * body itself; without softening its term is not 0. */
template <int UNROLL, bool MASK, class T>
static __device__ inline void nbody_attract(nbody_vector<T> &sum, const nbody_body<T> &body,
                                            const nbody_body<T> *others, uint32_t count, T softening, uint32_t self)
{
#pragma unroll UNROLL
    for (uint32_t k = 0; k < count; k++) {
        const nbody_body<T> other = others[k];
        const nbody_vector<T> d = nbody_between(body, other);
        const T weight = nbody_inverse_cube(nbody_square(d, softening), other.mass);
        nbody_accumulate(sum, MASK && k == self ? T(0) : weight, d);
    }
}

#endif
