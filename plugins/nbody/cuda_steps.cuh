/* The steps of nbody.h around the forces, on the device. */
#ifndef NBODY_CUDA_STEPS_CUH
#define NBODY_CUDA_STEPS_CUH

#include "cuda_bodies.cuh"

/* What is done to each body at a time, in this order. */
struct nbody_parts {
    bool sums;  /* the accelerations are the sums, which it clears */
    bool close; /* a kick that ends a step */
    bool open;  /* a kick that begins one, and a drift */
};

/* What follows the forces of a step but the last, and of the last one. */
static inline __host__ __device__ nbody_parts nbody_after_forces(uint32_t integrator, bool sums, bool last)
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

/* The sum number `at`, as an acceleration; 0 from now on. */
template <class T> static __device__ inline T nbody_take_sum(const nbody_step<T> &step, uint64_t at, int extent)
{
    const nbody_field<T> &field = step.field;
    const double low = (double) (long long) field.low[at], high = (double) (long long) field.high[at];
    const double sum = fma(high, nbody_power(0.0, field.shift), low);
    field.low[at] = field.high[at] = 0;
    if (field.scale->lost)
        return (T) nan("");
    return (T) (step.g * scalbn(sum, step.mass_exponent - 2 * extent - nbody_number<T>::FRACTION));
}

/* One component of a body; `extent` is what its sum was made with. Returns the exponent of a power of two that the
 * coordinate is below. */
template <class T>
static __device__ inline int nbody_move(const nbody_step<T> &step, const nbody_parts &parts, uint32_t body,
                                        uint32_t component, int extent)
{
    const nbody_field<T> &field = step.field;
    const int64_t at = body + component * field.stride;
    T a = field.acceleration[at], v = field.velocity[at], x = field.position[at];
    if (parts.sums)
        field.acceleration[at] = a = nbody_take_sum(step, (uint64_t) component * field.count + body, extent);
    if (parts.close)
        v = nbody_step_by(step.kick, a, v);
    if (parts.open) {
        v = nbody_step_by(step.kick, a, v);
        field.position[at] = x = nbody_step_by(step.drift, v, x);
    }
    if (parts.close || parts.open)
        field.velocity[at] = v;
    return nbody_exponent_above(x);
}

#endif
