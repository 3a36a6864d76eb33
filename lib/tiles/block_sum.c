#include "tiles/block_sum.h"
#include "base/xxh.h"

static const uint64_t prime = (UINT64_C(1) << 61) - 1;

/* Primitive roots for each sum and axis: from 64 bits each of the fraction of pi, modulo the prime, upwards. */
static const uint64_t roots[2][3] = {{0x43f6a8885a308de, 0x13198a2e0370734a, 0x4093822299f31d9},
                                     {0x82efa98ec4e6c8f, 0x52821e638d0137a, 0x1e5466cf34e90c78}};

static uint64_t reduce(uint64_t a)
{
    const uint64_t folded = (a & prime) + (a >> 61);
    return folded >= prime ? folded - prime : folded;
}

static uint64_t multiply(uint64_t a, uint64_t b)
{
    const __uint128_t product = (__uint128_t) a * b;
    return reduce(((uint64_t) product & prime) + (uint64_t) (product >> 61));
}

/* A power of a negative exponent is that of its sum with prime - 1. */
static uint64_t power(uint64_t root, int64_t exponent)
{
    uint64_t result = 1, left = exponent >= 0 ? (uint64_t) exponent : prime - 1 - (uint64_t) -exponent % (prime - 1);
    for (; left > 0; left /= 2, root = multiply(root, root))
        if (left % 2 == 1)
            result = multiply(result, root);
    return result;
}

struct block_sum block_sum_of(const void *cells, uint64_t bytes)
{
    const XXH128_hash_t hash = XXH3_128bits(cells, bytes);
    return (struct block_sum){{reduce(hash.low64), reduce(hash.high64)}};
}

void block_sum_add(struct block_sum *sum, const struct block_sum *other, const int64_t blocks[3])
{
    for (int i = 0; i < 2; i++) {
        uint64_t moved = other->of[i];
        for (int axis = 0; axis < 3; axis++)
            moved = multiply(moved, power(roots[i][axis], blocks[axis]));
        sum->of[i] = reduce(sum->of[i] + moved);
    }
}
