/* The random numbers of engine/random.h, many at a time. */
#ifndef CORE_BASE_RANDOM_H
#define CORE_BASE_RANDOM_H

#include <stdint.h>

/* Words with indices [begin, begin + count) of a stream: word i is element i mod 4 of the block with key = seed (low
 * word first) and counter = (i / 4, stream), each low word first. The same words for any split into ranges. */
void random_words(uint64_t seed, uint64_t stream, uint64_t begin, uint64_t count, uint32_t *out);

#endif
