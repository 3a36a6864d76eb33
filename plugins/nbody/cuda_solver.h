/* What the three implementations on CUDA share: an instance, and its steps over forces that differ. */
#ifndef NBODY_CUDA_SOLVER_H
#define NBODY_CUDA_SOLVER_H

#include "nbody.h"

#include <cuda_runtime.h>

/* Set on the device, from step to step; 0 before the first. */
struct nbody_scale {
    int32_t extent;      /* all coordinates and the softening are below 2^extent */
    uint32_t next;       /* of the positions that are being made, from an origin where 0 is below all */
    uint32_t blocks;     /* that have made theirs */
    uint32_t lost;       /* a sum went beyond the integers; see cuda_bodies.cuh */
    uint32_t extents[3]; /* as `next`; of cuda_resident.cuh */
};

/* What kernels see. Vectors are planar: component c of body i is number i + c * stride. */
template <class T> struct nbody_field {
    T *position, *velocity, *acceleration;
    const T *mass;
    int64_t stride;
    unsigned long long *low, *high; /* sums of forces: component c of body i is number i + c * count */
    nbody_scale *scale;
    uint32_t count;
    int32_t shift; /* see cuda_bodies.cuh */
    T softening;
    T mass_unit; /* 2^-mass_exponent */
};

/* What masses allow. */
enum nbody_masses {
    NBODY_ANY,      /* 0 or more */
    NBODY_POSITIVE, /* and none so small that the product of two is not a number of full precision */
    NBODY_EQUAL
};

/* Head of an instance. */
struct nbody_solver {
    struct nbody_plan plan;
    void *positions, *velocities, *masses; /* in host memory, for looking at them */
    unsigned long long *low, *high;        /* NULL: forces go to the field acceleration straight */
    nbody_scale *scale;
    double *potentials, *host_potentials; /* one a block, on the device and in host memory */
    int mass_exponent;                    /* the sum of all masses is below 2^mass_exponent */
    int shift;                            /* see cuda_bodies.cuh */
    nbody_masses kind;
    int multiprocessors;
    uint32_t block_size, block_stride, unroll; /* block_size = 0: not the user's to choose */

    /* Enqueues what adds all forces at the current positions to the sums, or sets the field acceleration. */
    cudaError_t (*forces)(const nbody_solver *solver, const engine_call *call);

    /* Or NULL. Enqueues forces and what follows them for all steps of a call. */
    cudaError_t (*resident)(const nbody_solver *solver, const engine_call *call);
};

/* Start. Checks the first state, and makes what all have, but for forces and resident. `partials`: that a body's sum is
 * made of, at most; 0: no sums. */
int nbody_cuda_open(const engine_call *call, uint64_t partials, nbody_solver **solver);

/* Run. What kernels get, for float and double. */
template <class T> nbody_field<T> nbody_cuda_field(const nbody_solver *solver, const engine_call *call);
template <class T> struct nbody_step;
template <class T> nbody_step<T> nbody_cuda_step(const nbody_solver *solver, const engine_call *call);

static inline uint32_t nbody_divide_up(uint64_t a, uint64_t b)
{
    return (uint32_t) ((a + b - 1) / b);
}

#define NBODY_TRY(call) \
    do { \
        const cudaError_t nbody_error = (call); \
        if (nbody_error != cudaSuccess) \
            return nbody_error; \
    } while (0)

#define NBODY_CHECK(host, call) \
    do { \
        const cudaError_t nbody_error = (call); \
        if (nbody_error != cudaSuccess) { \
            (void) cudaGetLastError(); \
            return ENGINE_FAIL(host, ENGINE_DEVICE, "%s: %s: %s", #call, cudaGetErrorName(nbody_error), \
                               cudaGetErrorString(nbody_error)); \
        } \
    } while (0)

#endif
