/* Philox4x32-10: random numbers by counter (J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: Parallel random
 * numbers: as easy as 1, 2, 3. SC11). */
#ifndef CORE_RANDOM_H
#define CORE_RANDOM_H

#include <stdint.h>

/* One block: out = Philox4x32-10 of counter under key. */
void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* Words with indices [begin, begin + count) of a stream: word i is element i mod 4 of the block with key = seed (low
 * word first) and counter = (i / 4, stream), each low word first. The same words for any split into ranges. */
void random_words(uint64_t seed, uint64_t stream, uint64_t begin, uint64_t count, uint32_t *out);

#endif
