#include "base/hash.h"
#include "base/xxh.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "lanes are read as they lie in memory");

enum {
    LANES = 8,
    STRIPES = HASH_BLOCK / HASH_STRIPE,
    SMALL = 240 /* so many bytes and fewer are hashed by other rules */
};

static const uint64_t prime32_1 = 0x9E3779B1, prime32_2 = 0x85EBCA77, prime32_3 = 0xC2B2AE3D,
                      prime64_1 = 0x9E3779B185EBCA87, prime64_2 = 0xC2B2AE3D27D4EB4F, prime64_3 = 0x165667B19E3779F9,
                      prime64_4 = 0x85EBCA77C2B2AE63, prime64_5 = 0x27D4EB2F165667C5;

const uint8_t hash_secret[HASH_SECRET] = {
    0xb8, 0xfe, 0x6c, 0x39, 0x23, 0xa4, 0x4b, 0xbe, 0x7c, 0x01, 0x81, 0x2c, 0xf7, 0x21, 0xad, 0x1c, 0xde, 0xd4,
    0x6d, 0xe9, 0x83, 0x90, 0x97, 0xdb, 0x72, 0x40, 0xa4, 0xa4, 0xb7, 0xb3, 0x67, 0x1f, 0xcb, 0x79, 0xe6, 0x4e,
    0xcc, 0xc0, 0xe5, 0x78, 0x82, 0x5a, 0xd0, 0x7d, 0xcc, 0xff, 0x72, 0x21, 0xb8, 0x08, 0x46, 0x74, 0xf7, 0x43,
    0x24, 0x8e, 0xe0, 0x35, 0x90, 0xe6, 0x81, 0x3a, 0x26, 0x4c, 0x3c, 0x28, 0x52, 0xbb, 0x91, 0xc3, 0x00, 0xcb,
    0x88, 0xd0, 0x65, 0x8b, 0x1b, 0x53, 0x2e, 0xa3, 0x71, 0x64, 0x48, 0x97, 0xa2, 0x0d, 0xf9, 0x4e, 0x38, 0x19,
    0xef, 0x46, 0xa9, 0xde, 0xac, 0xd8, 0xa8, 0xfa, 0x76, 0x3f, 0xe3, 0x9c, 0x34, 0x3f, 0xf9, 0xdc, 0xbb, 0xc7,
    0xc7, 0x0b, 0x4f, 0x1d, 0x8a, 0x51, 0xe0, 0x4b, 0xcd, 0xb4, 0x59, 0x31, 0xc8, 0x9f, 0x7e, 0xc9, 0xd9, 0x78,
    0x73, 0x64, 0xea, 0xc5, 0xac, 0x83, 0x34, 0xd3, 0xeb, 0xc3, 0xc5, 0x81, 0xa0, 0xff, 0xfa, 0x13, 0x63, 0xeb,
    0x17, 0x0d, 0xdd, 0x51, 0xb7, 0xf0, 0xda, 0x49, 0xd3, 0x16, 0x55, 0x26, 0x29, 0xd4, 0x68, 0x9e, 0x2b, 0x16,
    0xbe, 0x58, 0x7d, 0x47, 0xa1, 0xfc, 0x8f, 0xf8, 0xb8, 0xd1, 0x7a, 0xd0, 0x31, 0xce, 0x45, 0xcb, 0x3a, 0x8f,
    0x95, 0x16, 0x04, 0x28, 0xaf, 0xd7, 0xfb, 0xca, 0xbb, 0x4b, 0x40, 0x7e};

static uint64_t word(const uint8_t *at)
{
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* ---- Stripes ------------------------------------------------------------------------------------------------ */

/* Adds a stripe to the sums. */
static void add_stripe(uint64_t sums[LANES], const uint8_t *stripe, const uint8_t *key)
{
    for (int lane = 0; lane < LANES; lane++) {
        const uint64_t data = word(stripe + 8 * lane), mixed = data ^ word(key + 8 * lane);
        sums[lane ^ 1] += data;
        sums[lane] += (mixed & UINT32_MAX) * (mixed >> 32);
    }
}

static void add_stripes(uint64_t sums[LANES], const uint8_t *data, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        add_stripe(sums, data + i * HASH_STRIPE, hash_secret + 8 * i);
}

static void reduce_plain(const uint8_t *data, uint64_t blocks, uint8_t *out)
{
    for (uint64_t i = 0; i < blocks; i++, data += HASH_BLOCK, out += HASH_STRIPE) {
        uint64_t sums[LANES] = {0};
        add_stripes(sums, data, STRIPES);
        memcpy(out, sums, sizeof sums);
    }
}

#if defined(__x86_64__)
#include <immintrin.h>

/* Four lanes of a stripe. */
__attribute__((target("avx2"))) static inline __m256i half_stripe(__m256i sums, const uint8_t *stripe,
                                                                  const uint8_t *key)
{
    const __m256i data = _mm256_loadu_si256((const __m256i *) (const void *) stripe);
    const __m256i mixed = _mm256_xor_si256(data, _mm256_loadu_si256((const __m256i *) (const void *) key));
    const __m256i products = _mm256_mul_epu32(mixed, _mm256_srli_epi64(mixed, 32));
    return _mm256_add_epi64(_mm256_add_epi64(sums, products), _mm256_shuffle_epi32(data, _MM_SHUFFLE(1, 0, 3, 2)));
}

__attribute__((target("avx2"))) static void reduce_avx2(const uint8_t *data, uint64_t blocks, uint8_t *out)
{
    for (uint64_t i = 0; i < blocks; i++, data += HASH_BLOCK, out += HASH_STRIPE) {
        __m256i low = _mm256_setzero_si256(), high = low;
        for (int s = 0; s < STRIPES; s++) {
            low = half_stripe(low, data + s * HASH_STRIPE, hash_secret + 8 * s);
            high = half_stripe(high, data + s * HASH_STRIPE + 32, hash_secret + 8 * s + 32);
        }
        _mm256_storeu_si256((__m256i *) (void *) out, low);
        _mm256_storeu_si256((__m256i *) (void *) (out + 32), high);
    }
}

static void reduce_blocks(const uint8_t *data, uint64_t blocks, uint8_t *out)
{
    (__builtin_cpu_supports("avx2") ? reduce_avx2 : reduce_plain)(data, blocks, out);
}
#else
static void reduce_blocks(const uint8_t *data, uint64_t blocks, uint8_t *out)
{
    reduce_plain(data, blocks, out);
}
#endif

/* ---- Blocks ------------------------------------------------------------------------------------------------- */

/* Adds the sums of blocks, each of which has bytes behind it. */
static void add_blocks(struct hash *hash, const uint8_t *sums, uint64_t blocks)
{
    const uint8_t *const key = hash_secret + HASH_SECRET - HASH_STRIPE;
    for (uint64_t i = 0; i < blocks; i++)
#pragma GCC unroll 8 /* so the sums stay in registers */
        for (int lane = 0; lane < LANES; lane++) {
            uint64_t sum = hash->sums[lane] + word(sums + i * HASH_STRIPE + 8 * lane);
            sum ^= sum >> 47;
            hash->sums[lane] = (sum ^ word(key + 8 * lane)) * prime32_1;
        }
}

void hash_begin(struct hash *hash)
{
    *hash =
        (struct hash){.sums = {prime32_3, prime64_1, prime64_2, prime64_3, prime64_4, prime32_2, prime64_5, prime32_1}};
}

/* Moves the held block, which is whole, into the sums. The last stripe of all bytes may begin in it. */
static void add_held(struct hash *hash)
{
    uint8_t sums[HASH_STRIPE];
    reduce_blocks(hash->block + HASH_STRIPE, 1, sums);
    add_blocks(hash, sums, 1);
    memcpy(hash->block, hash->block + HASH_BLOCK, HASH_STRIPE);
    hash->held = 0;
}

/* Adds whole blocks that have bytes behind them. */
static void add_whole(struct hash *hash, const uint8_t *data, uint64_t blocks)
{
    enum { AT_ONCE = 64 };
    uint8_t sums[AT_ONCE * HASH_STRIPE];
    for (uint64_t n; blocks > 0; blocks -= n, data += n * HASH_BLOCK) {
        n = blocks < AT_ONCE ? blocks : AT_ONCE;
        reduce_blocks(data, n, sums);
        add_blocks(hash, sums, n);
        memcpy(hash->block, data + n * HASH_BLOCK - HASH_STRIPE, HASH_STRIPE);
    }
}

void hash_add(struct hash *hash, const void *data, uint64_t bytes)
{
    const uint8_t *at = data;
    hash->bytes += bytes;
    while (bytes > 0) {
        if (hash->held == HASH_BLOCK)
            add_held(hash);
        const uint64_t whole = hash->held == 0 ? (bytes - 1) / HASH_BLOCK : 0, room = HASH_BLOCK - hash->held;
        const uint64_t n = whole > 0 ? whole * HASH_BLOCK : bytes < room ? bytes : room;
        if (whole > 0)
            add_whole(hash, at, whole);
        else {
            memcpy(hash->block + HASH_STRIPE + hash->held, at, n);
            hash->held += (uint32_t) n;
        }
        at += n;
        bytes -= n;
    }
}

/* ---- Ranges ------------------------------------------------------------------------------------------------ */

struct hash_range hash_range(uint64_t begin, uint64_t bytes, uint64_t more)
{
    const uint64_t head = (HASH_BLOCK - begin % HASH_BLOCK) % HASH_BLOCK;
    const uint64_t behind = more < HASH_STRIPE ? HASH_STRIPE - more : 0;
    if (bytes + more < head + HASH_BLOCK + HASH_STRIPE || bytes < head)
        return (struct hash_range){.head = bytes};
    const uint64_t blocks = (bytes - head - behind) / HASH_BLOCK;
    return (struct hash_range){head, blocks, bytes - head - blocks * HASH_BLOCK};
}

uint64_t hash_reduced_size(uint64_t begin, uint64_t bytes)
{
    const struct hash_range range = hash_range(begin, bytes, 0);
    return range.head + range.blocks * HASH_STRIPE + range.tail;
}

uint64_t hash_reduce(uint64_t begin, const void *data, uint64_t bytes, uint64_t more, void *reduced)
{
    const struct hash_range range = hash_range(begin, bytes, more);
    const uint8_t *const in = data;
    uint8_t *const out = reduced;
    memcpy(out, in, range.head);
    reduce_blocks(in + range.head, range.blocks, out + range.head);
    memcpy(out + range.head + range.blocks * HASH_STRIPE, in + bytes - range.tail, range.tail);
    return range.head + range.blocks * HASH_STRIPE + range.tail;
}

void hash_add_reduced(struct hash *hash, const void *reduced, uint64_t bytes)
{
    const struct hash_range range = hash_range(hash->bytes, bytes, 0);
    const uint8_t *at = reduced;
    hash_add(hash, at, range.head);
    if (range.blocks == 0)
        return;
    if (hash->held == HASH_BLOCK)
        add_held(hash);
    at += range.head;
    add_blocks(hash, at, range.blocks);
    hash->bytes += range.blocks * HASH_BLOCK;
    hash_add(hash, at + range.blocks * HASH_STRIPE, range.tail);
}

/* ---- The end ------------------------------------------------------------------------------------------------ */

static uint64_t fold_product(uint64_t a, uint64_t b)
{
    const __uint128_t product = (__uint128_t) a * b;
    return (uint64_t) product ^ (uint64_t) (product >> 64);
}

static uint64_t merge(const uint64_t sums[LANES], const uint8_t *key, uint64_t begin)
{
    for (int i = 0; i < LANES / 2; i++)
        begin += fold_product(sums[2 * i] ^ word(key + 16 * i), sums[2 * i + 1] ^ word(key + 16 * i + 8));
    begin ^= begin >> 37;
    begin *= 0x165667919E3779F9;
    return begin ^ begin >> 32;
}

void hash_print(const struct hash *hash, char text[HASH_TEXT])
{
    XXH128_hash_t digest;
    uint64_t sums[LANES];
    if (hash->bytes <= SMALL)
        digest = XXH3_128bits(hash->block + HASH_STRIPE, hash->bytes);
    else {
        memcpy(sums, hash->sums, sizeof sums);
        add_stripes(sums, hash->block + HASH_STRIPE, (hash->held - 1) / HASH_STRIPE);
        add_stripe(sums, hash->block + hash->held, hash_secret + HASH_SECRET - HASH_STRIPE - 7); /* the last 64 bytes */
        digest.low64 = merge(sums, hash_secret + 11, hash->bytes * prime64_1);
        digest.high64 = merge(sums, hash_secret + HASH_SECRET - HASH_STRIPE - 11, ~(hash->bytes * prime64_2));
    }
    snprintf(text, HASH_TEXT, "%016llx%016llx", (unsigned long long) digest.high64, (unsigned long long) digest.low64);
}
