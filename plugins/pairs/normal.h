/* Random numbers, for the CPU and the GPU. */
#ifndef PAIRS_NORMAL_H
#define PAIRS_NORMAL_H

#include "pairs.h"

#include <engine/random.h>
#include <math.h>

/* Uniform in (0, 1), from two words. */
ENGINE_INLINE double pairs_uniform(const uint32_t words[2])
{
    return ((double) (((uint64_t) words[0] << 32 | words[1]) >> 12) + 0.5) * 0x1p-52;
}

/* Four normal numbers of seed, step and particle (Box and Muller), of which a step takes three. The generators' streams
 * are below 2^32. */
ENGINE_INLINE void pairs_normal_numbers(uint64_t seed, uint64_t step, uint64_t particle, double g[4])
{
    for (uint64_t pair = 0; pair < 2; pair++) {
        uint32_t words[4];
        engine_random_block(seed, ((uint64_t) 1 << 32) + step, 2 * particle + pair, words);
        const double u = pairs_uniform(words);
        const double angle = 6.283185307179586 * ((double) (((uint64_t) words[2] << 32 | words[3]) >> 12) * 0x1p-52);
        const double r = sqrt(-2 * log(u));
        g[2 * pair] = r * cos(angle);
        g[2 * pair + 1] = r * sin(angle);
    }
}

#endif
