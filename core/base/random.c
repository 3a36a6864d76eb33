#include "base/random.h"

#include <engine/random.h>
#include <string.h>

/* ---- Four blocks at a time ---------------------------------------------------------------------------------- */

enum { LANES = 4, WORDS = 4 * LANES };

#if defined(__x86_64__)
#include <immintrin.h>

/* Lanes of 64 bits hold words of 32 in their lower half, and anything above it: a multiplication reads lower halves
 * alone, and what a shift brings down is half of a whole product. */
__attribute__((target("avx2"))) static inline void rounds_of_lanes(__m256i c[4], uint64_t seed)
{
    uint32_t k0 = (uint32_t) seed, k1 = (uint32_t) (seed >> 32);
    for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const __m256i a = _mm256_mul_epu32(c[0], _mm256_set1_epi64x(0xD2511F53));
        const __m256i b = _mm256_mul_epu32(c[2], _mm256_set1_epi64x(0xCD9E8D57));
        c[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(b, 32), c[1]), _mm256_set1_epi64x(k0));
        c[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(a, 32), c[3]), _mm256_set1_epi64x(k1));
        c[1] = b;
        c[3] = a;
    }
}

/* Pairs of words, the lower half of each `low` and that of `high` above it. */
__attribute__((target("avx2"))) static inline __m256i join(__m256i low, __m256i high)
{
    return _mm256_blend_epi32(low, _mm256_slli_epi64(high, 32), 0xaa);
}

/* `count` times LANES blocks from number `index` on. */
__attribute__((target("avx2"))) static void blocks_avx2(uint64_t seed, uint64_t stream, uint64_t index, uint64_t count,
                                                        uint32_t *out)
{
    for (; count > 0; count--, index += LANES, out += WORDS) {
        const __m256i number = _mm256_add_epi64(_mm256_set1_epi64x((int64_t) index), _mm256_setr_epi64x(0, 1, 2, 3));
        __m256i c[4] = {number, _mm256_srli_epi64(number, 32), _mm256_set1_epi64x((int64_t) stream),
                        _mm256_set1_epi64x((int64_t) (stream >> 32))};
        rounds_of_lanes(c, seed);
        const __m256i front = join(c[0], c[1]), back = join(c[2], c[3]);
        const __m256i even = _mm256_unpacklo_epi64(front, back), odd = _mm256_unpackhi_epi64(front, back);
        _mm256_storeu_si256((__m256i *) (void *) out, _mm256_permute2x128_si256(even, odd, 0x20));
        _mm256_storeu_si256((__m256i *) (void *) (out + 8), _mm256_permute2x128_si256(even, odd, 0x31));
    }
}

/* Blocks that were made, of `count`: all but a rest, or none where the machine lacks the instructions. */
static uint64_t lanes_of_blocks(uint64_t seed, uint64_t stream, uint64_t index, uint64_t count, uint32_t *out)
{
    if (!__builtin_cpu_supports("avx2"))
        return 0;
    blocks_avx2(seed, stream, index, count / LANES, out);
    return count / LANES * LANES;
}
#else
static uint64_t lanes_of_blocks(uint64_t seed, uint64_t stream, uint64_t index, uint64_t count, uint32_t *out)
{
    (void) seed, (void) stream, (void) index, (void) count, (void) out;
    return 0;
}
#endif

void random_words(uint64_t seed, uint64_t stream, uint64_t begin, uint64_t count, uint32_t *out)
{
    while (count > 0) {
        uint64_t first = begin % 4;
        uint64_t n = first == 0 ? 4 * lanes_of_blocks(seed, stream, begin / 4, count / 4, out) : 0;
        if (n == 0) {
            uint32_t words[4];
            n = 4 - first < count ? 4 - first : count;
            engine_random_block(seed, stream, begin / 4, words);
            memcpy(out, words + first, n * sizeof *out);
        }
        begin += n;
        count -= n;
        out += n;
    }
}
