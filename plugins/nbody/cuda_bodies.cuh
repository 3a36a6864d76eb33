/* What the kernels of cuda-shared and cuda have in common: bodies in units of their own, and sums that do not depend on
 * the order of their terms.
 *
 * Units. A kernel reads positions times 2^-extent and masses times 2^-mass_exponent, which changes no digit: then all
 * coordinates are below 1, and so is the sum of all masses; no square or cube over- or underflows whatever the user's
 * units are, and the pull of everything upon the outermost bodies is about 1. The exponents follow from the positions
 * of the step and from the masses.
 *
 * Sums. A kernel adds some dozen to some thousand terms in T. Such a partial sum is rounded to an integer, worth 2^-40
 * (float) or 2^-60 (double) of those units, and added to the body's: integers add up to the same in any order, so that
 * neither the schedule nor the size of blocks nor the number of devices changes a bit. What is lost is at most half an
 * integer a partial sum: 5e-13 (4e-19) of that pull. A body's sum has two limbs, low + 2^shift * high. Partial sums
 * below 2^shift go to the low one alone, which has room for as many of them as a body ever gets; where bodies come so
 * close that one is larger it is cut in two, exactly. The high limb ends at 2^60, 10^18 (10^12) times that pull; where
 * a partial sum is larger, or no number, the field is lost: all accelerations are NaN then, which measuring reports. */
#ifndef NBODY_CUDA_BODIES_CUH
#define NBODY_CUDA_BODIES_CUH

#include "cuda_solver.h"

template <class T> struct alignas(16) nbody_body {
    T x, y, z, mass;
};

template <class T> struct nbody_vector {
    T x, y, z;
};

/* What differs between float and double. */
template <class T> struct nbody_number;

template <> struct nbody_number<float> {
    static constexpr int FRACTION = 40;      /* bits of an integer's unit */
    static constexpr float FAR_AWAY = 1e18f; /* attracts with 0 */
    static constexpr int CLOSEST = -40;      /* the least softening but 0 is 2^CLOSEST: its inverse cube is a number */
};

template <> struct nbody_number<double> {
    static constexpr int FRACTION = 60;
    static constexpr double FAR_AWAY = 1e100;
    static constexpr int CLOSEST = -300;
};

static __device__ inline float nbody_power(float, int exponent)
{
    return __int_as_float((exponent + 127) << 23);
}

static __device__ inline double nbody_power(double, int exponent)
{
    return __hiloint2double((exponent + 1023) << 20, 0);
}

/* An exponent as an unsigned number, so that 0 is below all. */
constexpr int NBODY_BIAS = 4096;

/* |v| < 2^exponent, for NaN and infinity too. */
static __device__ inline int nbody_exponent_above(float v)
{
    return (int) (__float_as_uint(v) >> 23 & 0xff) - 126;
}

static __device__ inline int nbody_exponent_above(double v)
{
    return (int) ((uint32_t) __double2hiint(v) >> 20 & 0x7ff) - 1022;
}

/* Whatever the bodies' distance: units that are numbers, and are no less than the softening. */
template <class T> static __device__ inline int nbody_extent(const nbody_field<T> &field, uint32_t biased)
{
    constexpr int MOST = sizeof(T) == 4 ? 100 : 900;
    return max(-MOST, min(MOST, max((int) biased - NBODY_BIAS, nbody_exponent_above(field.softening))));
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

/* In the kernel's units. */
template <class T> struct nbody_reader {
    const nbody_field<T> &field;
    T unit;
    T softening; /* squared */

    __device__ nbody_reader(const nbody_field<T> &from, uint32_t biased_extent)
        : field(from), unit(nbody_power(T(), -nbody_extent(from, biased_extent)))
    {
        const T length = from.softening * unit, least = nbody_power(T(), nbody_number<T>::CLOSEST);
        softening = from.softening == 0 ? T(0) : length < least ? least * least : length * length;
    }

    __device__ nbody_body<T> operator()(uint32_t i) const
    {
        if (i >= field.count)
            return {nbody_number<T>::FAR_AWAY, nbody_number<T>::FAR_AWAY, nbody_number<T>::FAR_AWAY, 0};
        const T *x = field.position + i;
        return {unit * x[0], unit * x[field.stride], unit * x[2 * field.stride], field.mass_unit * field.mass[i]};
    }
};

/* ---- Sums ------------------------------------------------------------------------------------------------------- */

static __device__ inline int64_t nbody_round(float v)
{
    return __float2ll_rn(v);
}

static __device__ inline int64_t nbody_round(double v)
{
    return __double2ll_rn(v);
}

static __device__ inline void nbody_add_integer(unsigned long long *to, int64_t value)
{
    atomicAdd(to, (unsigned long long) value);
}

/* Cuts a partial sum in two. */
template <class T>
static __device__ __noinline__ void nbody_add_large(unsigned long long *low, unsigned long long *high, uint32_t *lost,
                                                    int32_t shift, T sum)
{
    const T upper = rint(sum * nbody_power(T(), -shift));
    if (!(fabs(upper) < nbody_power(T(), 60))) {
        *lost = 1;
        return;
    }
    nbody_add_integer(low, nbody_round(fma(-upper, nbody_power(T(), shift), sum)));
    nbody_add_integer(high, nbody_round(upper));
}

/* Adds a partial sum to component `component` of a body's. */
template <class T>
static __device__ inline void nbody_add(const nbody_field<T> &field, uint32_t body, uint32_t component, T partial)
{
    const uint64_t at = (uint64_t) component * field.count + body;
    const T sum = partial * nbody_power(T(), nbody_number<T>::FRACTION);
    if (fabs(sum) < nbody_power(T(), field.shift))
        nbody_add_integer(field.low + at, nbody_round(sum));
    else
        nbody_add_large(field.low + at, field.high + at, &field.scale->lost, field.shift, sum);
}

/* The same for all three, unless the body is one of those that fill up. */
template <class T>
static __device__ inline void nbody_add(const nbody_field<T> &field, uint32_t body, const nbody_vector<T> &partial,
                                        T factor)
{
    if (body >= field.count)
        return;
    nbody_add(field, body, 0, factor * partial.x);
    nbody_add(field, body, 1, factor * partial.y);
    nbody_add(field, body, 2, factor * partial.z);
}

#endif
