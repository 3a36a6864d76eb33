/* Many random numbers of engine/random.h at once. */
#ifndef CORE_BASE_RANDOM_H
#define CORE_BASE_RANDOM_H

#include <stdint.h>

/* Writes words [begin, begin + count) of a stream. Word i is element i mod 4 of the block with key = seed and counter =
 * (i / 4, stream), each with its low word first. Any split into ranges gives the same words. */
void random_words(uint64_t seed, uint64_t stream, uint64_t begin, uint64_t count, uint32_t *out);

#endif
