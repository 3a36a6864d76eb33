/* engine/stencil_bits.cuh - numbers of a few bits as bit planes, 32 cells in a word.
 *
 * engine/stencil.h includes this header for rules with STENCIL_BITS. Bit b of 32 neighbouring cells lies in one word,
 * plane b. An operation on planes computes 32 cells, so a comparison or an addition costs about a tenth of an
 * instruction a cell. `next` looks the same as with integers, with two exceptions: engine_if(condition, a, b) replaces
 * `condition ? a : b`, and there is no `if` on a cell's value.
 *
 *     engine_mask      a truth value for each of 32 cells: the result of a comparison. It has & | ^ && || ! and can be
 *                      added up
 *     engine_states    a number from 0 to 255 for each of 32 cells. It has + - & | ^ and comparisons. A result wraps
 *                      modulo 256 */
#ifndef ENGINE_STENCIL_BITS_CUH
#define ENGINE_STENCIL_BITS_CUH

#include <stdint.h>

#define ENGINE_BITS_INLINE static __host__ __device__ __forceinline__
#ifdef __CUDA_ARCH__
#define ENGINE_BITS_UNROLL _Pragma("unroll")
#else
#define ENGINE_BITS_UNROLL /* the compiler of the host side does not know this pragma */
#endif

struct engine_mask {
    uint32_t bits;
};

ENGINE_BITS_INLINE engine_mask operator&(engine_mask a, engine_mask b)
{
    return {a.bits & b.bits};
}
ENGINE_BITS_INLINE engine_mask operator|(engine_mask a, engine_mask b)
{
    return {a.bits | b.bits};
}
ENGINE_BITS_INLINE engine_mask operator^(engine_mask a, engine_mask b)
{
    return {a.bits ^ b.bits};
}
ENGINE_BITS_INLINE engine_mask operator&&(engine_mask a, engine_mask b)
{
    return {a.bits & b.bits};
}
ENGINE_BITS_INLINE engine_mask operator||(engine_mask a, engine_mask b)
{
    return {a.bits | b.bits};
}
ENGINE_BITS_INLINE engine_mask operator!(engine_mask a)
{
    return {~a.bits};
}

/* `most` is the largest value that the number can have. It is a constant for the compiler, which removes the planes
 * that are always 0 and everything that is computed from them. */
struct engine_states {
    uint32_t plane[8];
    uint32_t most;

    engine_states() = default;

    __host__ __device__ __forceinline__ engine_states(int value) : most((uint32_t) value & 255)
    {
        ENGINE_BITS_UNROLL
        for (int b = 0; b < 8; b++)
            plane[b] = (uint32_t) 0 - ((uint32_t) value >> b & 1);
    }

    __host__ __device__ __forceinline__ engine_states(engine_mask mask) : most(1)
    {
        plane[0] = mask.bits;
        ENGINE_BITS_UNROLL
        for (int b = 1; b < 8; b++)
            plane[b] = 0;
    }
};

/* Clears the planes of a number that is at most `most`. */
ENGINE_BITS_INLINE engine_states engine_at_most(engine_states a, uint32_t most)
{
    a.most = most < 255 ? most : 255;
    ENGINE_BITS_UNROLL
    for (int b = 0; b < 8; b++)
        if (a.most >> b == 0)
            a.plane[b] = 0;
    return a;
}

/* a + b + carry: a full adder for each plane. */
ENGINE_BITS_INLINE engine_states engine_add(const engine_states &a, const engine_states &b, uint32_t carry,
                                            uint32_t most)
{
    engine_states sum;
    ENGINE_BITS_UNROLL
    for (int i = 0; i < 8; i++) {
        sum.plane[i] = a.plane[i] ^ b.plane[i] ^ carry;
        carry = (a.plane[i] & b.plane[i]) | (carry & (a.plane[i] ^ b.plane[i]));
    }
    return engine_at_most(sum, most);
}

ENGINE_BITS_INLINE engine_states operator+(const engine_states &a, const engine_states &b)
{
    return engine_add(a, b, 0, a.most + b.most);
}

ENGINE_BITS_INLINE engine_states operator-(const engine_states &a, const engine_states &b)
{
    engine_states inverted = b;
    ENGINE_BITS_UNROLL
    for (int i = 0; i < 8; i++)
        inverted.plane[i] = ~b.plane[i];
    return engine_add(a, inverted, ~0u, 255);
}

/* The largest number with no more digits than `most` has: 5 becomes 7. */
ENGINE_BITS_INLINE uint32_t engine_all_ones(uint32_t most)
{
    most |= most >> 1;
    most |= most >> 2;
    return most | most >> 4;
}

#define ENGINE_BITS_LOGIC(op) \
    ENGINE_BITS_INLINE engine_states operator op(const engine_states &a, const engine_states &b) \
    { \
        engine_states result; \
        ENGINE_BITS_UNROLL for (int i = 0; i < 8; i++) result.plane[i] = a.plane[i] op b.plane[i]; \
        return engine_at_most(result, engine_all_ones(a.most | b.most)); \
    }
ENGINE_BITS_LOGIC(&)
ENGINE_BITS_LOGIC(|)
ENGINE_BITS_LOGIC(^)

ENGINE_BITS_INLINE engine_states &operator+=(engine_states &a, const engine_states &b)
{
    return a = a + b;
}
ENGINE_BITS_INLINE engine_states operator+(engine_mask a, engine_mask b)
{
    return engine_states(a) + engine_states(b);
}

ENGINE_BITS_INLINE engine_mask operator==(const engine_states &a, const engine_states &b)
{
    uint32_t differ = 0;
    ENGINE_BITS_UNROLL
    for (int i = 0; i < 8; i++)
        differ |= a.plane[i] ^ b.plane[i];
    return {~differ};
}

/* The comparison of the highest planes in which the numbers differ decides. */
ENGINE_BITS_INLINE engine_mask operator<(const engine_states &a, const engine_states &b)
{
    uint32_t less = 0;
    ENGINE_BITS_UNROLL
    for (int i = 0; i < 8; i++)
        less = (~a.plane[i] & b.plane[i]) | (~(a.plane[i] ^ b.plane[i]) & less);
    return {less};
}

ENGINE_BITS_INLINE engine_mask operator!=(const engine_states &a, const engine_states &b)
{
    return !(a == b);
}
ENGINE_BITS_INLINE engine_mask operator>(const engine_states &a, const engine_states &b)
{
    return b < a;
}
ENGINE_BITS_INLINE engine_mask operator<=(const engine_states &a, const engine_states &b)
{
    return !(b < a);
}
ENGINE_BITS_INLINE engine_mask operator>=(const engine_states &a, const engine_states &b)
{
    return !(a < b);
}

ENGINE_BITS_INLINE engine_states engine_if(engine_mask condition, const engine_states &a, const engine_states &b)
{
    engine_states result;
    ENGINE_BITS_UNROLL
    for (int i = 0; i < 8; i++)
        result.plane[i] = (a.plane[i] & condition.bits) | (b.plane[i] & ~condition.bits);
    result.most = 255;
    return engine_at_most(result, a.most > b.most ? a.most : b.most);
}

/* ---- Bytes and bit planes ---------------------------------------------------------------------------------------- */

/* The transposition of 4 x 4 bits in each of the eight places of four words: bit b of word k becomes bit k of word
 * b. */
static __device__ __forceinline__ void engine_transpose_bits(uint32_t (&word)[4])
{
    ENGINE_BITS_UNROLL
    for (int apart = 2; apart > 0; apart /= 2)
        ENGINE_BITS_UNROLL
    for (int i = 0; i < 4; i++)
        if ((i & apart) == 0) {
            const uint32_t mask = apart == 2 ? 0x33333333u : 0x55555555u;
            const uint32_t swap = ((word[i] >> apart) ^ word[i + apart]) & mask;
            word[i + apart] ^= swap;
            word[i] ^= swap << apart;
        }
}

/* The transposition of 4 x 4 bytes: byte j of word k becomes byte k of word j. */
static __device__ __forceinline__ void engine_transpose_bytes(uint32_t (&word)[4])
{
    const uint32_t a = __byte_perm(word[0], word[1], 0x5140), b = __byte_perm(word[0], word[1], 0x7362);
    const uint32_t c = __byte_perm(word[2], word[3], 0x5140), d = __byte_perm(word[2], word[3], 0x7362);
    word[0] = __byte_perm(a, c, 0x5410);
    word[1] = __byte_perm(a, c, 0x7632);
    word[2] = __byte_perm(b, d, 0x5410);
    word[3] = __byte_perm(b, d, 0x7632);
}

/* Bytes of 32 cells to bit planes, four bits at a time. Word j first holds cells 8 j to 8 j + 3 in the low halves of
 * its bytes and cells 8 j + 4 to 8 j + 7 in the high halves; after both transpositions, word b holds bit b of all
 * cells. */
template <int BITS>
static __device__ __forceinline__ void engine_to_planes(const uint32_t (&bytes)[8], uint32_t (&plane)[BITS])
{
    ENGINE_BITS_UNROLL
    for (int base = 0; base < BITS; base += 4) {
        uint32_t word[4];
        ENGINE_BITS_UNROLL
        for (int j = 0; j < 4; j++)
            word[j] = (bytes[2 * j] >> base & 0x0f0f0f0fu) | (bytes[2 * j + 1] << (4 - base) & 0xf0f0f0f0u);
        engine_transpose_bytes(word);
        engine_transpose_bits(word);
        ENGINE_BITS_UNROLL
        for (int b = base; b < BITS && b < base + 4; b++)
            plane[b] = word[b - base];
    }
}

template <int BITS>
static __device__ __forceinline__ void engine_from_planes(const uint32_t (&plane)[BITS], uint32_t (&bytes)[8])
{
    ENGINE_BITS_UNROLL
    for (int base = 0; base < BITS; base += 4) {
        uint32_t word[4];
        ENGINE_BITS_UNROLL
        for (int b = 0; b < 4; b++)
            word[b] = base + b < BITS ? plane[base + b < BITS ? base + b : 0] : 0;
        engine_transpose_bits(word);
        engine_transpose_bytes(word);
        ENGINE_BITS_UNROLL
        for (int j = 0; j < 4; j++) {
            bytes[2 * j] = (base > 0 ? bytes[2 * j] : 0) | (word[j] & 0x0f0f0f0fu) << base;
            bytes[2 * j + 1] = (base > 0 ? bytes[2 * j + 1] : 0) | (word[j] >> 4 & 0x0f0f0f0fu) << base;
        }
    }
}

#endif
