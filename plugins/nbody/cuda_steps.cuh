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

/* Sum number `at` of a field, whose low word was read. `large`: the high word may not be 0. */
template <class T>
static __device__ inline double nbody_sum(const nbody_field<T> &field, uint64_t at, unsigned long long low, bool large)
{
    const double rest = (double) (long long) low;
    return large ? fma((double) (long long) field.high[at], nbody_power(0.0, field.shift), rest) : rest;
}

/* value * 2^exponent. The exponents of float sums are within the range of a double. */
static __device__ inline double nbody_times_power(float, double value, int exponent)
{
    return value * nbody_power(0.0, exponent);
}

static __device__ inline double nbody_times_power(double, double value, int exponent)
{
    return scalbn(value, exponent);
}

/* A sum as an acceleration. `extent`: the one that it was computed with. */
template <class T>
static __device__ inline T nbody_acceleration(const nbody_step<T> &step, double sum, int extent, bool overflow)
{
    const int exponent = step.mass_exponent - 2 * extent - nbody_number<T>::FRACTION;
    return overflow ? (T) nan("") : (T) (step.g * nbody_times_power(T(), sum, exponent));
}

/* Applies the kicks and the drift to one component. */
template <class T>
static __device__ inline void nbody_kick_and_drift(const nbody_step<T> &step, const nbody_stages &stages, T a, T *v,
                                                   T *x)
{
    if (stages.close)
        *v = nbody_step_by(step.kick, a, *v);
    if (stages.open) {
        *v = nbody_step_by(step.kick, a, *v);
        *x = nbody_step_by(step.drift, *v, *x);
    }
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
    if (stages.sums) {
        const uint64_t number = (uint64_t) component * field.count + body;
        a = nbody_acceleration(step, nbody_sum(field, number, field.low[number], true), extent,
                               field.scale->flags.overflow != 0);
        field.acceleration[at] = a;
        field.low[number] = field.high[number] = 0;
    }
    nbody_kick_and_drift(step, stages, a, &v, &x);
    if (stages.open)
        field.position[at] = x;
    if (stages.close || stages.open)
        field.velocity[at] = v;
    return nbody_exponent_above(x);
}

#endif
