/*
 * The vector that a build of the kernel works on: 512, 256 or 128 cells, one a bit, and the few operations on it.
 * Everything but the three-input logic of AVX-512 is written with vector extensions that GCC and clang share.
 */
#ifndef LIFE_CPU_VECTOR_H
#define LIFE_CPU_VECTOR_H

#include <common/vector.h>
#include <stdint.h>

#define LANES_avx512 512
#define LANES_avx2   256
#define LANES_plain  128
#define LANES        JOIN(LANES_, LIFE_ISA)
#define VEC_WORDS    (LANES / 64)

typedef uint64_t vec __attribute__((vector_size(LANES / 8), may_alias));

#if LANES > 128
#include <immintrin.h>
#endif

INLINE vec all_lanes(int on)
{
    return (vec){0} - (uint64_t) (on != 0);
}

/*
 * LUT3(table, a, b, c): the three-input function whose truth table is the byte `table`, at bit 4a + 2b + c. The table
 * is a constant expression. Without AVX-512 it is a tree of choices, which the compiler folds.
 */
#if LANES == 512
#define LUT3(table, a, b, c)     ((vec) _mm512_ternarylogic_epi64((__m512i) (a), (__m512i) (b), (__m512i) (c), (table)))
#define CHOOSE(which, one, zero) LUT3(0xca, which, one, zero)
#else
#define CHOOSE(which, one, zero) ((zero) ^ ((which) & ((one) ^ (zero))))
INLINE vec lut1(unsigned table, vec c)
{
    return table == 0 ? all_lanes(0) : table == 1 ? ~c : table == 2 ? c : all_lanes(1);
}
INLINE vec lut2(unsigned table, vec b, vec c)
{
    unsigned zero = table & 3, one = table >> 2;
    if (zero == one)
        return lut1(zero, c);
    if ((zero ^ one) == 3)
        return b ^ lut1(zero, c);
    return zero == 0   ? b & lut1(one, c)
           : zero == 3 ? lut1(one, c) | ~b
           : one == 0  ? lut1(zero, c) & ~b
           : one == 3  ? b | lut1(zero, c)
                       : CHOOSE(b, lut1(one, c), lut1(zero, c));
}
INLINE vec LUT3(unsigned table, vec a, vec b, vec c)
{
    vec zero = lut2(table & 15, b, c), one = lut2(table >> 4, b, c);
    return (table & 15) == 0 ? a & one : table >> 4 == 0 ? zero & ~a : CHOOSE(a, one, zero);
}
#endif

#endif
