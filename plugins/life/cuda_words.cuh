/* Bit-sliced words of 32 cells for CUDA kernels: logic, sums of three neighbours, shared memory, halo exchange.
 *
 * A lane holds a group of 128 cells in four words, striped: cell x of the group is bit x / 4 of word x mod 4.
 *
 *     bit       0   1   2  ...  31
 *     word 0    0   4   8  ... 124     The cells beside those of word 1 are in words 0 and 2, at the same bits. Only
 *     word 1    1   5   9  ... 125     words 0 and 3 need a shift. On the left of word 0 is word 3, moved by a bit,
 *     word 2    2   6  10  ... 126     with the last cell of the lane on the left; on the right of word 3 is word 0,
 *     word 3    3   7  11  ... 127     with the first cell of the lane on the right.
 *
 * The names are short because only kernels include this file. Tests that compute kernels on the host define
 * life_host_….
 */
#ifndef LIFE_CUDA_WORDS_CUH
#define LIFE_CUDA_WORDS_CUH

#include <life/dead_axes.h>
#include <stdint.h>

/* ---- Logic ----------------------------------------------------------------------------------- */

/* Any function of three bits, by its truth table: bit 4a + 2b + c of LUT is the value for (a, b, c). So a, b and c have
 * the tables 0xf0, 0xcc and 0xaa, and the table of an expression is that expression of the three constants.
 *
 *     a b c      000 001 010 011 100 101 110 111
 *     0x96        0   1   1   0   1   0   0   1     a ^ b ^ c: the low bit of a + b + c
 *     0xe8        0   0   0   1   0   1   1   1     at least two of three: the high bit of a + b + c */
template <int LUT> __device__ __forceinline__ uint32_t lut3(uint32_t a, uint32_t b, uint32_t c)
{
#ifdef __CUDACC__
    uint32_t d;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(LUT));
#else /* a test that computes kernels on the host */
    uint32_t d = 0;
    for (int i = 0; i < 8; i++)
        d |= LUT >> i & 1 ? (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c) : 0;
#endif
    return d;
}

__device__ __forceinline__ uint32_t xor3(uint32_t a, uint32_t b, uint32_t c)
{
    return lut3<0x96>(a, b, c);
}

__device__ __forceinline__ uint32_t maj3(uint32_t a, uint32_t b, uint32_t c)
{
    return lut3<0xe8>(a, b, c);
}

/* ---- Sums ------------------------------------------------------------------------------------
 *
 * A full adder adds three bits: a + b + c = (a ^ b ^ c) + 2 maj(a, b, c). As this holds for the bits at every position,
 * it also holds for whole words as integers. So multiply-adds can compute the low word of a sum, as a + b + c - 2
 * maj(a, b, c). They run in another pipe beside the logic operations, which pays where logic alone is the limit. */

/* The constants 1 and -2, hidden from the compiler: it would turn multiplications by known constants into additions,
 * which run in the same pipe as the logic operations. */
struct life_factors {
    uint32_t one, minus_two; /* 1, -2 */
};

/* An empty type in place of life_factors, for kernels whose limit is the issue rate: sums then use xor3. */
struct life_by_logic {
};

/* The low words of four sums of three neighbours each, whose high words are `high`. Neighbouring sums share additions,
 *
 *     at[0] + (at[1] + at[2])    (at[1] + at[2]) + at[3]    at[2] + (at[3] + at[4])    (at[3] + at[4]) + at[5]
 *
 * so that a word takes 2.5 multiply-adds instead of one logic operation. */
__device__ __forceinline__ void add_low(uint32_t (&low)[4], const uint32_t (&at)[6], const uint32_t (&high)[4],
                                        const life_factors &k)
{
    const uint32_t first = at[1] * k.one + at[2], second = at[3] * k.one + at[4];
    const uint32_t total[4] = {at[0] * k.one + first, at[3] * k.one + first, at[2] * k.one + second,
                               at[5] * k.one + second};
    for (int i = 0; i < 4; i++)
        low[i] = high[i] * k.minus_two + total[i];
}

__device__ __forceinline__ void add_low(uint32_t (&low)[4], const uint32_t (&at)[6], const uint32_t (&)[4],
                                        life_by_logic)
{
    for (int i = 0; i < 4; i++)
        low[i] = xor3(at[i], at[i + 1], at[i + 2]);
}

/* For each of a group's four words at[1] … at[4]: how many of a cell and its two neighbours in the row live,
 * low + 2 high. at[0] and at[5] hold the neighbours of the first word and of the last. */
template <class FACTORS>
__device__ __forceinline__ void add_neighbours(uint32_t (&low)[4], uint32_t (&high)[4], const uint32_t (&at)[6],
                                               const FACTORS &k)
{
    for (int i = 0; i < 4; i++)
        high[i] = maj3(at[i], at[i + 1], at[i + 2]);
    add_low(low, at, high, k);
}

/* ---- Shared memory --------------------------------------------------------------------------- */

__device__ __forceinline__ void read_shared(uint32_t (&word)[4], uint32_t shared)
{
#ifdef __CUDACC__
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(shared)
                 : "memory");
#else
    life_host_read(word, shared);
#endif
}

/* fetch_commit ends a stage: all copies since the last call. fetch_wait waits until at most PENDING stages are not yet
 * complete. */
__device__ __forceinline__ void fetch_commit()
{
#ifdef __CUDACC__
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

template <int PENDING> __device__ __forceinline__ void fetch_wait()
{
#ifdef __CUDACC__
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
#endif
}

/* ---- Halo exchange ---------------------------------------------------------------------------
 *
 * The blocks of a resident kernel send each other groups of cells through slots in global memory. Each word is stored
 * together with a tag, the number of the step or exchange, in one 64-bit store:
 *
 *     slot      | tag  word 0 | tag  word 1 | tag  word 2 | tag  word 3 |      64 bits each
 *
 * The receiver polls the slot until all four tags are right. A word and its tag arrive together, so that no flag and no
 * memory fence is needed. */

__device__ __forceinline__ void send_group(ulonglong2 *slot, const uint32_t (&word)[4], uint32_t number)
{
    const uint64_t tag = (uint64_t) number << 32;
    for (int i = 0; i < 4; i += 2)
#ifdef __CUDACC__
        asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" ::"l"(slot + i / 2), "l"(word[i] | tag),
                     "l"(word[i + 1] | tag)
                     : "memory");
#else
        slot[i / 2] = {word[i] | tag, word[i + 1] | tag};
#endif
}

/* The contents of a slot. */
struct tagged_group {
    uint64_t part[4];

    __device__ __forceinline__ void poll(const ulonglong2 *slot)
    {
        for (int i = 0; i < 4; i += 2)
#ifdef __CUDACC__
            asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
                         : "=l"(part[i]), "=l"(part[i + 1])
                         : "l"(slot + i / 2)
                         : "memory");
#else
            life_host_poll(&part[i], slot + i / 2);
#endif
    }
    __device__ __forceinline__ bool has_tag(uint32_t number) const
    {
        uint32_t wrong = 0;
        for (int i = 0; i < 4; i++)
            wrong |= (uint32_t) (part[i] >> 32) ^ number;
        return wrong == 0;
    }
};

#endif
