/* What the three implementations on CUDA share: an instance, and its steps over forces that differ. */
#ifndef NBODY_CUDA_SOLVER_H
#define NBODY_CUDA_SOLVER_H

#include "nbody.h"

#include <cuda_runtime.h>

/* A step of cuda_resident.cuh. */
struct nbody_turn {
    uint32_t extent;     /* as below, of the positions that it makes */
    uint32_t met, moved; /* blocks that are done with the forces, and with the moves */
};

/* Set on the device, from step to step; 0 before the first. */
struct nbody_scale {
    uint32_t extent; /* all coordinates are below 2^(extent - NBODY_BIAS) */
    uint32_t next;   /* the same of the positions that are being made */
    uint32_t blocks; /* that have made theirs */
    uint32_t lost;   /* a sum went beyond the integers; see cuda_bodies.cuh */
    nbody_turn turns[3];
};

/* The sets from one on that are of one mass, the same; see cuda_species.cu. */
struct nbody_run {
    uint32_t sets; /* 0: this one has several masses */
    double mass;   /* in the kernel's units */
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
    T mass_unit;           /* 2^-mass_exponent */
    const nbody_run *runs; /* NBODY_SPECIES: one a set */
};

/* What masses allow. */
enum nbody_masses {
    NBODY_ANY,      /* 0 or more */
    NBODY_POSITIVE, /* and none so small that the product of two is not a number of full precision */
    NBODY_SPECIES   /* so few different ones that most sets of bodies have one each */
};

/* Head of an instance. */
struct nbody_solver {
    struct nbody_plan plan;
    void *positions, *velocities, *masses; /* in host memory, for looking at them */
    unsigned long long *low, *high;        /* NULL: forces go to the field acceleration straight */
    nbody_scale *scale;
    void *sorted;                         /* the bodies by species; NULL: they are where the user has them */
    uint32_t *order;                      /* the user's number of each sorted body */
    nbody_run *runs;                      /* NBODY_SPECIES: one a set */
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

/* Run. What kernels get, for float and double: the bodies as the solver has them, and as the user has them. */
template <class T> nbody_field<T> nbody_cuda_field(const nbody_solver *solver, const engine_call *call);
template <class T> nbody_field<T> nbody_cuda_user_field(const nbody_solver *solver, const engine_call *call);
template <class T> struct nbody_step;
template <class T> nbody_step<T> nbody_cuda_step(const nbody_solver *solver, const engine_call *call);

/* Start, after nbody_cuda_open. Where sets of `size` bodies mostly have one mass each once bodies of one stand
 * together, lets the solver have them so: its kind is NBODY_SPECIES then. ENGINE_NO_MEMORY, ENGINE_DEVICE. */
int nbody_cuda_sort(const engine_call *call, uint32_t size, nbody_solver *solver);

/* Run. Enqueues copies of the bodies: the user's to the solver's, and back; nothing where they are the same. */
cudaError_t nbody_cuda_gather(const nbody_solver *solver, const engine_call *call);
cudaError_t nbody_cuda_scatter(const nbody_solver *solver, const engine_call *call);

/* Start, after nbody_cuda_open. */
static inline double nbody_cuda_mass(const nbody_solver *solver, uint64_t body)
{
    return solver->plan.precision == NBODY_DOUBLE ? ((const double *) solver->masses)[body]
                                                  : (double) ((const float *) solver->masses)[body];
}

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
