/* Words of 32 cells as columns of bits, in groups of four that lie striped: cell x of a group of 128 is bit x / 4 of
 * word x mod 4, so that a lane that holds a group finds the cells beside a word at the same bit of the next register.
 * For kernels alone, hence the short names. */
#ifndef LIFE_CUDA_WORDS_CUH
#define LIFE_CUDA_WORDS_CUH

#include <stdint.h>

/* ---- Logic ----------------------------------------------------------------------------------- */

/* Any function of three bits: bit 4a + 2b + c of LUT. */
template <int LUT> __device__ __forceinline__ uint32_t lut3(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t d;
    asm("lop3.b32 %0, %1, %2, %3, %4;" : "=r"(d) : "r"(a), "r"(b), "r"(c), "n"(LUT));
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
 * As numbers, a + b + c = (a ^ b ^ c) + 2 maj(a, b, c): the low words of a sum can come from that, by multiplications,
 * which run beside the logic operations. That pays where logic operations alone are the limit. */

/* Factors that the compiler must not know, or it would make additions of the multiplications: additions run in the way
 * of the logic operations. */
struct life_factors {
    uint32_t one, minus_two; /* 1, -2 */
};

/* In the place of factors: no multiplications, where instructions of any kind are the limit. */
struct life_by_logic {
};

/* The low words of four sums of three neighbours each, of which `high` are the high ones: 2.5 multiplications a word
 * instead of one logic operation. */
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

/* Of each of a group's four words, at[1] … at[4], and the words on its sides: low + 2 high. */
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
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(word[0]), "=r"(word[1]), "=r"(word[2]), "=r"(word[3])
                 : "r"(shared)
                 : "memory");
}

/* What was fetched since the last time is one stage; waits until no more than PENDING stages are on their way. */
__device__ __forceinline__ void fetch_commit()
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int PENDING> __device__ __forceinline__ void fetch_wait()
{
    asm volatile("cp.async.wait_group %0;" ::"n"(PENDING) : "memory");
}

/* ---- Letters ---------------------------------------------------------------------------------
 *
 * A group that travels between the blocks of a resident kernel. A word travels beside a number, of the step or the
 * exchange, in one 64-bit store: whoever waits for it polls the word itself, and needs no flag and no fence. */

__device__ __forceinline__ void post(ulonglong2 *to, const uint32_t (&word)[4], uint32_t number)
{
    const uint64_t tag = (uint64_t) number << 32;
    for (int i = 0; i < 4; i += 2)
        asm volatile("st.relaxed.gpu.global.v2.b64 [%0], {%1, %2};" ::"l"(to + i / 2), "l"(word[i] | tag),
                     "l"(word[i + 1] | tag)
                     : "memory");
}

/* A group as it lies in the mail now: words and tags. */
struct letter {
    uint64_t part[4];

    __device__ __forceinline__ void look(const ulonglong2 *from)
    {
        for (int i = 0; i < 4; i += 2)
            asm volatile("ld.relaxed.gpu.global.v2.b64 {%0, %1}, [%2];"
                         : "=l"(part[i]), "=l"(part[i + 1])
                         : "l"(from + i / 2)
                         : "memory");
    }
    __device__ __forceinline__ bool arrived(uint32_t number) const
    {
        uint32_t wrong = 0;
        for (int i = 0; i < 4; i++)
            wrong |= (uint32_t) (part[i] >> 32) ^ number;
        return wrong == 0;
    }
};

#endif
