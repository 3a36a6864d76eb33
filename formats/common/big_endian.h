/* Big-endian numbers: words of 4 bytes, and real numbers of 4 or 8 bytes. */
#ifndef FORMATS_COMMON_BIG_ENDIAN_H
#define FORMATS_COMMON_BIG_ENDIAN_H

#include <stdint.h>
#include <string.h>

static inline uint32_t word_at(const unsigned char *at)
{
    return (uint32_t) at[0] << 24 | (uint32_t) at[1] << 16 | (uint32_t) at[2] << 8 | at[3];
}

static inline void put_word(unsigned char *at, uint32_t word)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char) (word >> (24 - 8 * i));
}

static inline float single_at(const unsigned char *at)
{
    const uint32_t word = word_at(at);
    float real;
    memcpy(&real, &word, sizeof real);
    return real;
}

static inline void put_single(unsigned char *at, float real)
{
    uint32_t word;
    memcpy(&word, &real, sizeof word);
    put_word(at, word);
}

static inline double real_at(const unsigned char *at, uint64_t wide)
{
    if (wide == 4)
        return (double) single_at(at);
    const uint64_t both = (uint64_t) word_at(at) << 32 | word_at(at + 4);
    double real;
    memcpy(&real, &both, sizeof real);
    return real;
}

static inline void put_real(unsigned char *at, double real, uint64_t wide)
{
    uint64_t both;
    if (wide == 4) {
        put_single(at, (float) real);
        return;
    }
    memcpy(&both, &real, sizeof both);
    put_word(at, (uint32_t) (both >> 32));
    put_word(at + 4, (uint32_t) both);
}

#endif
