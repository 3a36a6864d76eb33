/* What the kernels of cuda-shared and cuda share: bodies in units of their own, and fixed-point sums, which do not
 * depend on the order of their terms.
 *
 * Units. A kernel reads positions times 2^-extent and masses times 2^-mass_exponent, which is exact. Then all
 * coordinates and the sum of all masses are below 1. No square or cube overflows or underflows, whatever the user's
 * units are, and the attraction of all bodies on an outermost one is about 1. The exponents follow from the step's
 * positions and the masses.
 *
 * Sums. A kernel adds a dozen to some thousand terms in T. This partial sum is rounded to an integer, in units of 2^-40
 * (float) or 2^-60 (double), and added to the body's sum. Integers add up to the same in any order, so that no
 * schedule, block size or number of devices changes a bit. The error is at most 1/2 unit for each partial sum: 5e-13
 * (4e-19).
 *
 *     high    63 ....................... 0                sum = low + 2^shift * high
 *     low                     63 ....... | ........ 0     low has room for all partial sums of a body below 2^shift
 *                                      shift
 *
 * A larger partial sum, of bodies that come close, is split exactly into both. If it is 2^60 * 2^shift or more, or not
 * a number, `overflow` is set: all accelerations then become NaN, which the next measurement reports. */
#ifndef NBODY_CUDA_BODIES_CUH
#define NBODY_CUDA_BODIES_CUH

#include "cuda_solver.h"

template <class T> struct alignas(16) nbody_body {
    T x, y, z, mass;
};

template <class T> struct nbody_vector {
    T x, y, z;
};

/* Constants that differ between float and double. */
template <class T> struct nbody_number;

template <> struct nbody_number<float> {
    static constexpr int FRACTION = 40;      /* fraction bits of a fixed-point sum */
    static constexpr float FAR_AWAY = 1e18f; /* coordinates of padding: its attraction is 0 */
    static constexpr int CLOSEST = -40;      /* the least softening but 0 is 2^CLOSEST: its inverse cube is finite */
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

/* Added to exponents, so that they are unsigned and 0 is below all. */
constexpr int NBODY_BIAS = 4096;

/* An exponent with |v| < 2^exponent; some number for NaN and infinity. */
static __device__ inline int nbody_exponent_above(float v)
{
    return (int) (__float_as_uint(v) >> 23 & 0xff) - 126;
}

static __device__ inline int nbody_exponent_above(double v)
{
    return (int) ((uint32_t) __double2hiint(v) >> 20 & 0x7ff) - 1022;
}

/* The exponent of the unit of length: within the range of T, and no less than the softening's. */
template <class T> static __device__ inline int nbody_extent(const nbody_field<T> &field, uint32_t biased)
{
    constexpr int MOST = sizeof(T) == 4 ? 100 : 900;
    return max(-MOST, min(MOST, max((int) biased - NBODY_BIAS, nbody_exponent_above(field.softening))));
}

/* ---- Reading ---------------------------------------------------------------------------------------------------- */

/* Body i in the user's units, as numbers of type To. */
template <class To, class T>
static __device__ inline nbody_body<To> nbody_user_body(const nbody_field<T> &field, uint32_t i)
{
    const T *x = field.position + i;
    return {(To) x[0], (To) x[field.stride], (To) x[2 * field.stride], (To) field.mass[i]};
}

/* Reads bodies in the kernel's units. */
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

/* Adds a large partial sum, split in two. */
template <class T>
static __device__ __noinline__ void nbody_add_large(unsigned long long *low, unsigned long long *high,
                                                    nbody_flags *flags, int32_t shift, T sum)
{
    if (flags->large == 0) /* spares most of many stores to one address */
        flags->large = 1;
    const T upper = rint(sum * nbody_power(T(), -shift));
    if (!(fabs(upper) < nbody_power(T(), 60))) {
        flags->overflow = 1;
        return;
    }
    nbody_add_integer(low, nbody_round(fma(-upper, nbody_power(T(), shift), sum)));
    nbody_add_integer(high, nbody_round(upper));
}

/* Adds a partial sum to a component of a body's sum. */
template <class T>
static __device__ inline void nbody_add(const nbody_field<T> &field, uint32_t body, uint32_t component, T partial)
{
    const uint64_t at = (uint64_t) component * field.count + body;
    const T sum = partial * nbody_power(T(), nbody_number<T>::FRACTION);
    if (fabs(sum) < nbody_power(T(), field.shift))
        nbody_add_integer(field.low + at, nbody_round(sum));
    else
        nbody_add_large(field.low + at, field.high + at, &field.scale->flags, field.shift, sum);
}

/* Adds factor * partial to all three components, unless the body is padding. */
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
