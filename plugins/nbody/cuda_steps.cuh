/* The integrators of nbody.h around the forces, on the device. */
#ifndef NBODY_CUDA_STEPS_CUH
#define NBODY_CUDA_STEPS_CUH

#include "cuda_bodies.cuh"

/* What a kernel does to each body, in this order. */
struct nbody_stages {
    bool sums;  /* sets the acceleration to the sum, and the sum to 0 */
    bool close; /* the kick that ends a step */
    bool open;  /* the kick that begins a step, and the drift */
};

/* The stages after the forces of a step. The last step of a call does not begin the next one. */
static inline __host__ __device__ nbody_stages nbody_after_forces(uint32_t integrator, bool sums, bool last)
{
    const bool leapfrog = integrator == NBODY_LEAPFROG;
    return {sums, leapfrog, !leapfrog || !last};
}

template <class T> struct nbody_step {
    nbody_field<T> field;
    T kick, drift;
    double g;
    int32_t mass_exponent;
    uint32_t integrator;
};

static __device__ inline float nbody_step_by(float h, float rate, float value)
{
    return nbody_step_f32(h, rate, value);
}

static __device__ inline double nbody_step_by(double h, double rate, double value)
{
    return nbody_step_f64(h, rate, value);
}

/* Returns sum number `at` as an acceleration, and clears it. */
template <class T> static __device__ inline T nbody_take_sum(const nbody_step<T> &step, uint64_t at, int extent)
{
    const nbody_field<T> &field = step.field;
    const double low = (double) (long long) field.low[at], high = (double) (long long) field.high[at];
    const double sum = fma(high, nbody_power(0.0, field.shift), low);
    field.low[at] = field.high[at] = 0;
    if (field.scale->overflow)
        return (T) nan("");
    return (T) (step.g * scalbn(sum, step.mass_exponent - 2 * extent - nbody_number<T>::FRACTION));
}

/* Applies the stages to one component of a body. `extent`: the one that its sum was computed with. Returns an exponent
 * with |coordinate| < 2^exponent. */
template <class T>
static __device__ inline int nbody_move(const nbody_step<T> &step, const nbody_stages &stages, uint32_t body,
                                        uint32_t component, int extent)
{
    const nbody_field<T> &field = step.field;
    const int64_t at = body + component * field.stride;
    T a = field.acceleration[at], v = field.velocity[at], x = field.position[at];
    if (stages.sums)
        field.acceleration[at] = a = nbody_take_sum(step, (uint64_t) component * field.count + body, extent);
    if (stages.close)
        v = nbody_step_by(step.kick, a, v);
    if (stages.open) {
        v = nbody_step_by(step.kick, a, v);
        field.position[at] = x = nbody_step_by(step.drift, v, x);
    }
    if (stages.close || stages.open)
        field.velocity[at] = v;
    return nbody_exponent_above(x);
}

#endif
