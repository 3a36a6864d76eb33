/* What the three CUDA implementations share: the instance, and the steps around forces that differ. */
#ifndef NBODY_CUDA_SOLVER_H
#define NBODY_CUDA_SOLVER_H

#include "nbody.h"

#include <common/cuda.cuh>

/* What happened to sums of forces. */
struct nbody_flags {
    uint32_t large;    /* 1: a partial sum was large, and the high words are in use */
    uint32_t overflow; /* 1: a sum has left the range of its integers (cuda_bodies.cuh) */
};

/* Kept on the device from step to step; 0 before the first. */
struct nbody_scale {
    uint32_t extent; /* all coordinates are below 2^(extent - NBODY_BIAS) */
    uint32_t next;   /* the same of the positions of the next step, while blocks move bodies */
    uint32_t blocks; /* blocks that have moved their bodies */
    nbody_flags flags;
    uint32_t arrived; /* cuda_resident.cuh: how often blocks have arrived where they wait for each other */
};

/* cuda_resident.cuh uses this many sets of sums in turn, each with a record nbody_scale of its own. */
constexpr uint32_t NBODY_TURNS = 3;

/* A run of tiles in which all bodies have one mass, from a tile on (cuda_species.cu). */
struct nbody_run {
    uint32_t tiles; /* 0: the tile has several masses */
    double mass;    /* in the kernel's units */
};

/* The bodies as kernels see them. Vectors are planar: component c of body i is number i + c * stride. */
template <class T> struct nbody_field {
    T *position, *velocity, *acceleration;
    const T *mass;
    int64_t stride;
    unsigned long long *low, *high; /* sums of forces: component c of body i is number i + c * count */
    nbody_scale *scale;
    uint32_t count;
    uint32_t share, shares; /* of a divided run: this part computes every task whose number is share modulo shares */
    int32_t shift;          /* see cuda_bodies.cuh */
    T softening;
    T mass_unit;           /* 2^-mass_exponent */
    const nbody_run *runs; /* NBODY_SPECIES: one for each tile */
};

/* What is known of the masses. */
enum nbody_masses {
    NBODY_ANY,      /* 0 or more */
    NBODY_POSITIVE, /* more than 0, and the product of any two has full precision */
    NBODY_SPECIES   /* so few different masses that most tiles have one each */
};

/* An instance. */
struct nbody_solver {
    struct nbody_plan plan;
    void *positions, *velocities, *masses; /* copies in host memory, for checks and metrics */
    unsigned long long *low, *high;        /* high follows low; NULL: forces go directly into the field acceleration */
    nbody_scale *scale;                    /* 1 + NBODY_TURNS records */
    void *sorted;                          /* the bodies sorted by species; NULL: kernels use the user's fields */
    uint32_t *order;                       /* the user's number of each sorted body */
    nbody_run *runs;                       /* NBODY_SPECIES: one for each tile */
    double *potentials, *host_potentials;  /* one for each block, on the device and in host memory */
    int mass_exponent;                     /* the sum of all masses is below 2^mass_exponent */
    int shift;                             /* see cuda_bodies.cuh */
    nbody_masses kind;
    int multiprocessors;
    size_t block_bytes;                        /* of shared memory that a block may have */
    uint32_t block_size, block_stride, unroll; /* block_size = 0: the user does not choose it */

    /* Enqueues kernels that add all forces at the current positions to the sums, or set the field acceleration. */
    cudaError_t (*forces)(const nbody_solver *solver, const engine_call *call);

    /* Enqueues one kernel that takes all steps of a call; may be NULL. It needs NBODY_TURNS sets of sums. */
    cudaError_t (*resident)(const nbody_solver *solver, const engine_call *call);
};

/* Start. Checks the initial state and makes an instance, without `forces` and `resident`. `partials`: how many partial
 * sums a body's sum gets at most; 0: the instance has no sums. `sets`: of sums. */
int nbody_cuda_open(const engine_call *call, uint64_t partials, uint32_t sets, nbody_solver **solver);

/* Run. The bodies for a kernel, float or double: in the solver's order, and in the user's. */
template <class T> nbody_field<T> nbody_cuda_field(const nbody_solver *solver, const engine_call *call);
template <class T> nbody_field<T> nbody_cuda_user_field(const nbody_solver *solver, const engine_call *call);
template <class T> struct nbody_step;
template <class T> nbody_step<T> nbody_cuda_step(const nbody_solver *solver, const engine_call *call);

/* Start, after nbody_cuda_open. If most tiles of `size` bodies have one mass once the bodies are sorted by mass, the
 * solver sorts them and its kind becomes NBODY_SPECIES. ENGINE_NO_MEMORY, ENGINE_DEVICE. */
int nbody_cuda_sort(const engine_call *call, uint32_t size, nbody_solver *solver);

/* Run. Enqueues copies of the bodies into the solver's order, and back. They do nothing where the order is the
 * user's. */
cudaError_t nbody_cuda_gather(const nbody_solver *solver, const engine_call *call);
cudaError_t nbody_cuda_scatter(const nbody_solver *solver, const engine_call *call);

/* Calls f with a float or a double, by the plan's precision, and returns what f returns. */
template <class F> static inline auto nbody_by_precision(const nbody_solver *solver, F f)
{
    return solver->plan.precision == NBODY_DOUBLE ? f(double()) : f(float());
}

/* Start, after nbody_cuda_open. The mass of a body. */
static inline double nbody_cuda_mass(const nbody_solver *solver, uint64_t body)
{
    return solver->plan.precision == NBODY_DOUBLE ? ((const double *) solver->masses)[body]
                                                  : (double) ((const float *) solver->masses)[body];
}

#endif
