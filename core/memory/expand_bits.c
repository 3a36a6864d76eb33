#include "memory/expand_bits.h"
#include "base/bits.h"

#include <stddef.h>

typedef uint8_t lanes __attribute__((vector_size(16)));
typedef uint64_t halves __attribute__((vector_size(16)));

#define SHUFFLE(v, ...) __builtin_shufflevector(v, v, __VA_ARGS__)

/* Expands 16 bits at a time: three shuffles make eight copies of each byte, and each copy is masked to one bit. */
void expand_bits_word(uint64_t cells, uint8_t out[64])
{
    static const lanes bits = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    const lanes once = (lanes) (halves){cells, 0};
    const lanes twice = SHUFFLE(once, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7);
    const lanes four[2] = {SHUFFLE(twice, 0, 1, 0, 1, 2, 3, 2, 3, 4, 5, 4, 5, 6, 7, 6, 7),
                           SHUFFLE(twice, 8, 9, 8, 9, 10, 11, 10, 11, 12, 13, 12, 13, 14, 15, 14, 15)};
    for (size_t i = 0; i < 2; i++) {
        const lanes low = SHUFFLE(four[i], 0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7);
        const lanes high = SHUFFLE(four[i], 8, 9, 10, 11, 8, 9, 10, 11, 12, 13, 14, 15, 12, 13, 14, 15);
        const lanes ones[2] = {(lanes) ((low & bits) == bits) & 1, (lanes) ((high & bits) == bits) & 1};
        memcpy(out + i * sizeof ones, ones, sizeof ones);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Expands 32 bits at a time. One shuffle makes all copies, which is four times as fast. */
__attribute__((target("avx2"))) static void expand_avx2(const uint8_t *bits, uint64_t words, uint8_t *out)
{
    const __m256i copies = _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i own = _mm256_set1_epi64x((int64_t) 0x8040201008040201), one = _mm256_set1_epi8(1);
    for (; words > 0; words--, bits += 4, out += 32) {
        int32_t cells;
        memcpy(&cells, bits, sizeof cells);
        const __m256i all = _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32(cells), copies), own);
        _mm256_storeu_si256((__m256i *) (void *) out, _mm256_min_epu8(all, one));
    }
}

/* Returns the number of bytes expanded: all but a rest, or 0 where the machine does not have the instructions. */
static uint64_t expand_vectors(const uint8_t *bits, uint64_t bytes, uint8_t *out)
{
    if (!__builtin_cpu_supports("avx2"))
        return 0;
    expand_avx2(bits, bytes / 4, out);
    return bytes / 4 * 4;
}
#else
static uint64_t expand_vectors(const uint8_t *bits, uint64_t bytes, uint8_t *out)
{
    (void) bits, (void) bytes, (void) out;
    return 0;
}
#endif

void expand_bits_bytes(const uint8_t *bits, uint64_t bytes, uint8_t *out)
{
    uint64_t done = expand_vectors(bits, bytes, out), cells;
    for (; done + sizeof cells <= bytes; done += sizeof cells) {
        memcpy(&cells, bits + done, sizeof cells);
        expand_bits_word(cells, out + 8 * done);
    }
    for (; done < bytes; done++)
        bits_to_bytes(bits[done], 8, out + 8 * done);
}
