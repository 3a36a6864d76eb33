#include "objects/place_hash.h"

static const uint64_t bases[3] = {0x0b7e151628aed2a6u, 0x0f3a4c1d95e6b287u, 0x13198a2e03707344u};
static const uint64_t inverses[3] = {0x00e541880c76d570u, 0x18fd3e5565b7eb7eu,
                                     0x1a31bd5bff9e8593u}; /* modulo PLACE_PRIME */

/* The product has 122 bits; the high and the low half of 61 bits add up modulo the prime. */
uint64_t place_multiply(uint64_t a, uint64_t b)
{
    const uint64_t a1 = a >> 32, a0 = a & 0xffffffff, b1 = b >> 32, b0 = b & 0xffffffff;
    const uint64_t low = a0 * b0, middle = a0 * b1 + (low >> 32), cross = a1 * b0 + (middle & 0xffffffff);
    const uint64_t high = a1 * b1 + (middle >> 32) + (cross >> 32), bottom = cross << 32 | (low & 0xffffffff);
    return place_add(bottom & PLACE_PRIME, (high << 3 | bottom >> 61) % PLACE_PRIME);
}

static uint64_t power(uint64_t base, uint64_t exponent)
{
    uint64_t result = 1;
    for (; exponent; exponent >>= 1) {
        if (exponent & 1)
            result = place_multiply(result, base);
        base = place_multiply(base, base);
    }
    return result;
}

static uint64_t moved(int axis, int64_t distance)
{
    return distance >= 0 ? power(bases[axis], (uint64_t) distance) : power(inverses[axis], -(uint64_t) distance);
}

uint64_t place_factor(int64_t x, int64_t y, int64_t z)
{
    return place_multiply(moved(0, x), place_multiply(moved(1, y), moved(2, z)));
}

uint64_t place_past(const uint64_t *phases, uint64_t period, const int64_t move[3], uint64_t steps)
{
    const uint64_t phase = (period - steps % period) % period;
    const int64_t back = -(int64_t) ((steps + phase) / period);
    return move[0] || move[1] || move[2]
               ? place_multiply(phases[phase], place_factor(back * move[0], back * move[1], back * move[2]))
               : phases[phase];
}

uint64_t place_state(uint32_t state)
{
    return power(0x1f83d9abfb41bd6bu % PLACE_PRIME, state + 1);
}
