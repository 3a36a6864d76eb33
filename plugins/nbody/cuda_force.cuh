/* The arithmetic of one interaction on CUDA. */
#ifndef NBODY_CUDA_FORCE_CUH
#define NBODY_CUDA_FORCE_CUH

#include "cuda_bodies.cuh"

/* The hardware's 1 / sqrt: right to 1.5 units in the last place of a float, and to 20 bits in double. 0 gives infinity.
 */
static __device__ inline float nbody_inverse_root(float square)
{
    float root;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(square));
    return root;
}

static __device__ inline double nbody_inverse_root(double square)
{
    double root;
    asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(root) : "d"(square));
    return root;
}

/* factor / sqrt(square)^3. */
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

/* With the root y and e = 1 - square * y^2 it is y^3 (1 + 3/2 e + 15/8 e^2 + …), whose next term is below 2^-58. */
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

/* |d|^2 + softening, which is a square already: it costs nothing in the first multiply-add. */
template <class T> static __device__ inline T nbody_square(const nbody_vector<T> &d, T softening)
{
    return fma(d.z, d.z, fma(d.y, d.y, fma(d.x, d.x, softening)));
}

/* sum += weight * d */
template <class T> static __device__ inline void nbody_gather(nbody_vector<T> &sum, T weight, const nbody_vector<T> &d)
{
    sum.x = fma(weight, d.x, sum.x);
    sum.y = fma(weight, d.y, sum.y);
    sum.z = fma(weight, d.z, sum.z);
}

#endif
