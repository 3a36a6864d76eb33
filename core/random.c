#include "random.h"

#include <string.h>

static inline void philox_round(uint32_t c[4], const uint32_t k[2])
{
    uint64_t a = (uint64_t) 0xD2511F53u * c[0];
    uint64_t b = (uint64_t) 0xCD9E8D57u * c[2];
    uint32_t c1 = c[1], c3 = c[3];
    c[0] = (uint32_t) (b >> 32) ^ c1 ^ k[0];
    c[1] = (uint32_t) b;
    c[2] = (uint32_t) (a >> 32) ^ c3 ^ k[1];
    c[3] = (uint32_t) a;
}

void philox4x32(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t k[2] = {key[0], key[1]};
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    for (int round = 0; round < 10; round++) {
        philox_round(c, k);
        k[0] += 0x9E3779B9u;
        k[1] += 0xBB67AE85u;
    }
    memcpy(out, c, sizeof c);
}

static void block(uint64_t seed, uint64_t stream, uint64_t index, uint32_t out[4])
{
    const uint32_t key[2] = {(uint32_t) seed, (uint32_t) (seed >> 32)};
    const uint32_t counter[4] = {(uint32_t) index, (uint32_t) (index >> 32), (uint32_t) stream,
                                 (uint32_t) (stream >> 32)};
    philox4x32(counter, key, out);
}

void random_words(uint64_t seed, uint64_t stream, uint64_t begin, uint64_t count, uint32_t *out)
{
    while (count > 0) {
        uint64_t first = begin % 4;
        uint64_t n = 4 - first < count ? 4 - first : count;
        uint32_t words[4];
        block(seed, stream, begin / 4, words);
        memcpy(out, words + first, n * sizeof *out);
        begin += n;
        count -= n;
        out += n;
    }
}
