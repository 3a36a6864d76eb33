/* engine/stencil_bits.cuh - numbers of a few bits as bit planes, 32 cells in a word.
 *
 * engine/stencil.h includes this header for rules with STENCIL_BITS. Bit b of 32 neighbouring cells lies in one word,
 * plane b. An operation on planes computes 32 cells, so a comparison or an addition costs about a tenth of an instruction
 * a cell. `next` looks the same as with integers, with two exceptions: engine_if(condition, a, b) replaces
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

/* `most` is the largest value that the number can have. It is a constant for the compiler, which removes the planes that
 * are always 0 and everything that is computed from them. */
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

#endif
