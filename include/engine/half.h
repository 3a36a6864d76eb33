/* engine/half.h - numbers that memory keeps in 16 bits (IEEE 754 binary16), and with which a rule computes as floats.
 *
 * This header is optional, and everything here is inline. The engine has no such type: a field of ENGINE_U16 keeps the
 * bits, and the rule converts them. Memory then moves half the bytes. If the bandwidth of memory limits a rule, it becomes
 * up to twice as fast. 11 bits of each number are significant. Numbers between 6.1e-5 and 65504 keep all of them. If your
 * numbers are usually smaller, multiply them by a power of two. Both functions give the same bits on a CPU and on a GPU. The header compiles as C11, as
 * C++17 and with nvcc, and includes no other file of the engine. */
#ifndef ENGINE_HALF_H
#define ENGINE_HALF_H

#include <stdint.h>
#include <string.h>

#ifdef __CUDACC__
#define ENGINE_HALF_INLINE static __host__ __device__ inline
#else
#define ENGINE_HALF_INLINE static inline
#endif

/* Reads and writes the bits of a float. */
ENGINE_HALF_INLINE uint32_t engine_float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

ENGINE_HALF_INLINE float engine_bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* a where the condition holds, otherwise b. gcc keeps no branch, so it vectorises a loop for AVX2 too. */
ENGINE_HALF_INLINE uint32_t engine_select(int condition, uint32_t a, uint32_t b)
{
    return b ^ ((a ^ b) & (uint32_t) -condition);
}

/* Returns the number that the 16 bits stand for. It is exact. */
ENGINE_HALF_INLINE float engine_float_of_half(uint16_t half)
{
#ifdef __CUDA_ARCH__
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(half));
    return value;
#else
    /* The exponent grows by 127 - 15. Below the normal numbers, the difference to the smallest one is the value. */
    const uint32_t sign = (uint32_t) (half & 0x8000) << 16, rest = (uint32_t) (half & 0x7fff) << 13;
    const uint32_t small = engine_float_bits(engine_bits_float(rest + 0x38800000) - 0x1p-14f);
    const uint32_t large = engine_select(rest > 0x0f800000, 0x7fffffff, 0x7f800000 | sign); /* no number, or infinite */
    const uint32_t normal = engine_select(rest < 0x0f800000, (rest + 0x38000000) | sign, large);
    return engine_bits_float(engine_select(rest < 0x00800000, small | sign, normal));
#endif
}

/* Returns the nearest number of 16 bits; of two that are equally near, the even one. Beyond 65504 it is infinite. */
ENGINE_HALF_INLINE uint16_t engine_half_of_float(float value)
{
#ifdef __CUDA_ARCH__
    uint16_t half;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half) : "f"(value));
    return half;
#else
    /* The sum with 0.5 has a last bit of 2^-24, that of the smallest numbers of 16 bits, so the addition rounds. */
    const uint32_t sign = engine_float_bits(value) & 0x80000000, rest = engine_float_bits(value) ^ sign;
    const uint32_t small = engine_float_bits(engine_bits_float(rest) + 0.5f) - 0x3f000000;
    const uint32_t normal = (rest - 0x38000000 + 0xfff + (rest >> 13 & 1)) >> 13;
    const uint32_t large = engine_select(rest > 0x7f800000, 0x7fff, 0x7c00 | sign >> 16); /* no number, or infinite */
    const uint32_t finite = engine_select(rest < 0x38800000, small, normal) | sign >> 16;
    return (uint16_t) engine_select(rest < 0x47800000, finite, large);
#endif
}

#endif
