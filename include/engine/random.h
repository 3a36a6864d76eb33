/* engine/random.h - the engine's random numbers, for CPU and CUDA.
 *
 * This header is optional. It computes the numbers of host->random, one block of four words at a time, in code that
 * cannot call the host, such as a kernel. Each block depends only on the seed, the stream and its index, so the numbers
 * are the same on every machine and for any number of threads. The header compiles as C11, as C++17 and with nvcc, and
 * includes no other file of the engine.
 *
 *     uint32_t words[4];
 *     engine_random_block(seed, stream, i / 4, words);    // words[i % 4] is word i of host->random(seed, stream, …)
 *
 * The generator is Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy
 * as 1, 2, 3", SC11. */
#ifndef ENGINE_RANDOM_H
#define ENGINE_RANDOM_H

#include <stdint.h>

#ifdef __CUDACC__
#define ENGINE_RANDOM_INLINE static __host__ __device__ inline
#else
#define ENGINE_RANDOM_INLINE static inline
#endif

/* The product of two words. nvcc 13.0 makes an instruction more of the plain expression. */
ENGINE_RANDOM_INLINE uint64_t engine_random_product(uint32_t a, uint32_t b)
{
#ifdef __CUDA_ARCH__
    uint64_t product;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(product) : "r"(a), "r"(b));
    return product;
#else
    return (uint64_t) a * b;
#endif
}

/* Replaces the counter by its Philox4x32-10 value under the key. */
ENGINE_RANDOM_INLINE void engine_philox4x32(const uint32_t key[2], uint32_t counter[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const uint64_t a = engine_random_product(counter[0], 0xD2511F53u);
        const uint64_t b = engine_random_product(counter[2], 0xCD9E8D57u);
        counter[0] = (uint32_t) (b >> 32) ^ counter[1] ^ k0;
        counter[1] = (uint32_t) b;
        counter[2] = (uint32_t) (a >> 32) ^ counter[3] ^ k1;
        counter[3] = (uint32_t) a;
    }
}

/* Writes words 4 * block … 4 * block + 3 of a stream. The key is the seed and the counter is (block, stream), each with
 * its low word first. */
ENGINE_RANDOM_INLINE void engine_random_block(uint64_t seed, uint64_t stream, uint64_t block, uint32_t words[4])
{
    const uint32_t key[2] = {(uint32_t) seed, (uint32_t) (seed >> 32)};
    words[0] = (uint32_t) block;
    words[1] = (uint32_t) (block >> 32);
    words[2] = (uint32_t) stream;
    words[3] = (uint32_t) (stream >> 32);
    engine_philox4x32(key, words);
}

#endif
