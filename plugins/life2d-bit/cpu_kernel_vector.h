/*
 * The vector that a build of the kernel works on: 512, 256 or 128 cells, one a bit, and the few operations on it.
 * Everything but the three-input logic of AVX-512 is written with vector extensions that GCC and clang share.
 */
#ifndef LIFE2D_CPU_KERNEL_VECTOR_H
#define LIFE2D_CPU_KERNEL_VECTOR_H

#include <stdint.h>

#define LANES_avx512 512
#define LANES_avx2   256
#define LANES_plain  128
#define JOIN_(a, b)  a##b
#define JOIN(a, b)   JOIN_(a, b)
#define LANES        JOIN(LANES_, LIFE2D_ISA)
#define VEC_WORDS    (LANES / 64)
#define INLINE       static inline __attribute__((always_inline))

typedef uint64_t vec __attribute__((vector_size(LANES / 8), may_alias));

#if LANES > 128
#include <immintrin.h>
#endif

/* The words base[index]. */
INLINE vec gather(const uint64_t *base, vec index)
{
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion" /* the header's own, when it is a macro */
#if LANES == 512
    return (vec) _mm512_i64gather_epi64((__m512i) index, base, 8);
#elif LANES == 256
    return (vec) _mm256_i64gather_epi64((const long long *) base, (__m256i) index, 8);
#else
    return (vec){base[index[0]], base[index[1]]};
#endif
#pragma GCC diagnostic pop
}

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
    return zero == 0 ? b & lut1(one, c)
           : zero == 3 ? lut1(one, c) | ~b
           : one == 0 ? lut1(zero, c) & ~b
           : one == 3 ? b | lut1(zero, c)
                      : CHOOSE(b, lut1(one, c), lut1(zero, c));
}
INLINE vec LUT3(unsigned table, vec a, vec b, vec c)
{
    vec zero = lut2(table & 15, b, c), one = lut2(table >> 4, b, c);
    return (table & 15) == 0 ? a & one : table >> 4 == 0 ? zero & ~a : CHOOSE(a, one, zero);
}
#endif

/*
 * Lane b takes what lane b - 1 (lane_up) or b + 1 (lane_down) had, within groups of lanes whose ends meet; lane b is
 * bit b % 64 of word b / 64. All words turn by a bit and then exchange the bit that should have left, by a turn of the
 * words.
 */
struct turns {
    vec up, down; /* AVX-512: which word comes to each place; else all ones if a group is one word, which stays */
};

#if LANES == 512
#define WORDS_UP(v, turns)   ((vec) _mm512_permutexvar_epi64((__m512i) (turns)->up, (__m512i) (v)))
#define WORDS_DOWN(v, turns) ((vec) _mm512_permutexvar_epi64((__m512i) (turns)->down, (__m512i) (v)))
#elif LANES == 256
#define WORDS_UP(v, turns)   CHOOSE((turns)->up, v, __builtin_shufflevector(v, v, 3, 0, 1, 2))
#define WORDS_DOWN(v, turns) CHOOSE((turns)->down, v, __builtin_shufflevector(v, v, 1, 2, 3, 0))
#else
#define WORDS_UP(v, turns)   CHOOSE((turns)->up, v, __builtin_shufflevector(v, v, 1, 0))
#define WORDS_DOWN(v, turns) CHOOSE((turns)->down, v, __builtin_shufflevector(v, v, 1, 0))
#endif

static struct turns make_turns(uint64_t groups)
{
    struct turns t = {all_lanes(groups == VEC_WORDS), all_lanes(groups == VEC_WORDS)};
#if LANES == 512
    uint64_t words = VEC_WORDS / groups;
    for (uint64_t w = 0; w < VEC_WORDS; w++) {
        t.up[w] = w / words * words + (w + words - 1) % words;
        t.down[w] = w / words * words + (w + 1) % words;
    }
#endif
    return t;
}

INLINE vec lane_up(vec v, const struct turns *turns)
{
    vec turned = v << 1 | v >> 63;
    return CHOOSE((all_lanes(1) >> 63), WORDS_UP(turned, turns), turned);
}

INLINE vec lane_down(vec v, const struct turns *turns)
{
    vec turned = v >> 1 | v << 63;
    return CHOOSE((all_lanes(1) << 63), WORDS_DOWN(turned, turns), turned);
}

#endif
