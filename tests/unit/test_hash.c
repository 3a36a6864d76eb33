/* The parallel hash against the library: every length around its blocks, every place to cut, any ranges. */
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <stdio.h>
#include <xxhash.h>

enum { BYTES = 40 * HASH_BLOCK };

static uint8_t data[BYTES];
static uint64_t draws = 1;

static uint64_t draw(uint64_t below)
{
    draws = draws * 6364136223846793005u + 1442695040888963407u;
    return (draws >> 33) % below;
}

static void fill(void)
{
    for (int i = 0; i < BYTES; i++)
        data[i] = (uint8_t) draw(256);
}

static void assert_hash(const struct hash *hash, uint64_t bytes)
{
    char wanted[HASH_TEXT], text[HASH_TEXT];
    const XXH128_hash_t digest = XXH3_128bits(data, bytes);
    snprintf(wanted, sizeof wanted, "%016llx%016llx", (unsigned long long) digest.high64,
             (unsigned long long) digest.low64);
    hash_print(hash, text);
    assert_string_equal(text, wanted);
}

/* Reduces a range as a whole, or in parts that end at blocks. */
static uint64_t reduce(uint64_t begin, uint64_t bytes, uint8_t *sums)
{
    uint8_t *out = sums;
    uint64_t n, left = bytes;
    for (uint64_t at = begin; left > 0; at += n, left -= n) {
        const uint64_t part = (1 + draw(4)) * HASH_BLOCK - at % HASH_BLOCK;
        n = part < left && draw(3) > 0 ? part : left;
        out += hash_reduce(at, data + at, n, left - n, out);
    }
    return (uint64_t) (out - sums);
}

/* Adds bytes as they are, or reduced by somebody else. */
static void add(struct hash *hash, uint64_t bytes, bool reduced)
{
    static uint8_t sums[BYTES + HASH_EXCESS];
    if (reduced) {
        const uint64_t size = reduce(hash->bytes, bytes, sums);
        assert_int_equal(size, hash_reduced_size(hash->bytes, bytes));
        assert_true(size <= bytes / 16 + HASH_EXCESS);
        hash_add_reduced(hash, sums, bytes);
    } else
        hash_add(hash, data + hash->bytes, bytes);
}

static void every_length(void **state)
{
    (void) state;
    for (uint64_t bytes = 0; bytes <= 3 * HASH_BLOCK + 200; bytes++)
        for (int reduced = 0; reduced < 2; reduced++) {
            struct hash hash;
            hash_begin(&hash);
            add(&hash, bytes, reduced);
            assert_hash(&hash, bytes);
        }
}

/* Two ranges that meet anywhere, before an end that may be less than a stripe behind a block. */
static void every_cut(void **state)
{
    (void) state;
    const uint64_t ends[] = {239, 240, 241, 1024, 1025, 1087, 2047, 2048, 2049, 2111, 2112, 2113, 4096, 4097, 4159};
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        for (uint64_t cut = 0; cut <= ends[i]; cut++) {
            struct hash hash;
            hash_begin(&hash);
            add(&hash, cut, cut % 3 != 0);
            add(&hash, ends[i] - cut, cut % 2 == 0);
            assert_hash(&hash, ends[i]);
        }
}

static void any_ranges(void **state)
{
    (void) state;
    const uint64_t most[] = {70, 1500, 20000};
    for (int i = 0; i < 6000; i++) {
        const uint64_t bytes = draw(BYTES + 1);
        struct hash hash;
        hash_begin(&hash);
        while (hash.bytes < bytes) {
            const uint64_t left = bytes - hash.bytes, n = draw(most[i % 3] + 1);
            add(&hash, n < left ? n : left, draw(2) == 0);
        }
        assert_hash(&hash, bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_length),
        cmocka_unit_test(every_cut),
        cmocka_unit_test(any_ranges),
    };
    fill();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
