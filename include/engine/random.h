/* engine/random.h - random numbers by counter, for CPU and CUDA alike.
 *
 * Optional: what host->random writes, one block at a time, for code that cannot call the host, as a kernel. The same
 * words on every machine, whatever the threads. Compiles as C11, C++17 and under nvcc, and needs no other file.
 *
 *     uint32_t words[4];
 *     engine_random_block(seed, stream, i / 4, words);    // words[i % 4] is word i of host->random(seed, stream, …)
 *
 * Philox4x32-10 of J. K. Salmon, M. A. Moraes, R. O. Dror and D. E. Shaw: Parallel random numbers: as easy as 1, 2, 3
 * (SC11). */
#ifndef ENGINE_RANDOM_H
#define ENGINE_RANDOM_H

#include <stdint.h>

#ifdef __CUDACC__
#define ENGINE_RANDOM_INLINE static __host__ __device__ inline
#else
#define ENGINE_RANDOM_INLINE static inline
#endif

/* One block: counter becomes Philox4x32-10 of counter under key. */
ENGINE_RANDOM_INLINE void engine_philox4x32(const uint32_t key[2], uint32_t counter[4])
{
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const uint64_t a = (uint64_t) 0xD2511F53u * counter[0], b = (uint64_t) 0xCD9E8D57u * counter[2];
        counter[0] = (uint32_t) (b >> 32) ^ counter[1] ^ k0;
        counter[1] = (uint32_t) b;
        counter[2] = (uint32_t) (a >> 32) ^ counter[3] ^ k1;
        counter[3] = (uint32_t) a;
    }
}

/* Writes words 4 * block … 4 * block + 3 of a stream: key = seed and counter = (block, stream), each low word first. */
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
