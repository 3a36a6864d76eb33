/* The vector of a CPU kernel for one bit a cell, and its operations: 512, 256 or 128 cells, for each KERNEL_ISA.
 * Everything but the three-input logic of AVX-512 is written with vector extensions that GCC and clang share. */
#ifndef LIFE_CPU_VECTOR_H
#define LIFE_CPU_VECTOR_H

#include <common/vector.h>
#include <stdint.h>

#define LANES_avx512 512
#define LANES_avx2   256
#define LANES_plain  128
#define LANES        JOIN(LANES_, KERNEL_ISA)
#define VEC_WORDS    (LANES / 64)

typedef uint64_t vec __attribute__((vector_size(LANES / 8), may_alias));

#if LANES > 128
#include <immintrin.h>
#endif

INLINE vec all_lanes(int on)
{
    return (vec){0} - (uint64_t) (on != 0);
}

/* LUT3(table, a, b, c): any function of three bits by its truth table, a constant expression. Bit 4a + 2b + c of the
 * table is the value for (a, b, c), so that a, b and c have the tables 0xf0, 0xcc and 0xaa. AVX-512 has an instruction
 * for it, vpternlog; elsewhere it is a tree of choices, which the compiler folds.
 *
 *     a b c      000 001 010 011 100 101 110 111
 *     0x96        0   1   1   0   1   0   0   1     a ^ b ^ c: the low bit of a + b + c
 *     0xe8        0   0   0   1   0   1   1   1     at least two of three: the high bit of a + b + c
 *     0xca        0   1   0   1   0   0   1   1     CHOOSE: a ? b : c */
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
