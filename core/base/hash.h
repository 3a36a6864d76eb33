/* XXH3-128, in parallel.
 *
 * XXH3 cuts the bytes into blocks of 1 KiB. The stripes of a block only add to eight accumulators, which are
 * scrambled between two blocks (xxHash, doc/xxhash_spec.md, "XXH3 Algorithm Details"). So anyone can reduce a block to
 * eight sums, 64 bytes, without the blocks before it. Then the chain over all blocks is short. The hash is that of
 * XXH3_128bits. */
#ifndef CORE_BASE_HASH_H
#define CORE_BASE_HASH_H

#include <stdint.h>

enum {
    HASH_TEXT = 33,     /* bytes of a hash as text: 32 hexadecimal digits */
    HASH_BLOCK = 1024,  /* bytes of a block */
    HASH_STRIPE = 64,   /* bytes of a stripe, and of the sums of a block */
    HASH_EXCESS = 2112, /* bytes that a range has at most, beyond a sixteenth, when it is reduced */
    HASH_SECRET = 192
};
extern const uint8_t hash_secret[HASH_SECRET]; /* of a hash without a seed */

/* The chain over the bytes so far. */
struct hash {
    uint64_t sums[8];
    uint64_t bytes;                          /* so far */
    uint32_t held;                           /* bytes of the last block that are in `block` and not in the sums yet */
    uint8_t block[HASH_STRIPE + HASH_BLOCK]; /* after the 64 bytes before it */
};

/* Begins a hash of no bytes. */
void hash_begin(struct hash *hash);

/* Adds bytes. */
void hash_add(struct hash *hash, const void *data, uint64_t bytes);

/* A range as it is reduced: bytes up to the next block, blocks, and at least the last 64 bytes, because the last stripe
 * of all bytes may begin there. */
struct hash_range {
    uint64_t head, blocks, tail;
};
struct hash_range hash_range(uint64_t begin, uint64_t bytes, uint64_t more);

/* Reduces a range of the bytes, which begins at byte `begin` of them, to about a sixteenth. Returns the size, which
 * is that of hash_reduced_size. Several threads may reduce ranges at the same time. A part of a range that ends at a
 * block, `more` bytes before the end of the range, is reduced to a part of the same result. */
uint64_t hash_reduce(uint64_t begin, const void *data, uint64_t bytes, uint64_t more, void *reduced);
uint64_t hash_reduced_size(uint64_t begin, uint64_t bytes);

/* Adds a range of `bytes` that was reduced. It follows the bytes so far. */
void hash_add_reduced(struct hash *hash, const void *reduced, uint64_t bytes);

/* Gives the hash of the bytes so far. */
void hash_print(const struct hash *hash, char text[HASH_TEXT]);

#endif
