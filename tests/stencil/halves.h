/* engine/half.h: numbers of 16 bits to floats and back. Every kind of number is there: small, infinite, none, and those
 * in the middle of two. */
#define STENCIL_AXES         NUMBER
#define STENCIL_REACH        1
#define STENCIL_CELL(member) member(uint16_t, half) member(uint32_t, bits)
#include <engine/stencil.h>

#include <engine/half.h>

struct rule {
    uint32_t unused;
};

static inline struct rule rule_of(const struct engine_plan *plan)
{
    const struct rule rule = {0};
    (void) plan;
    return rule;
}

/* The bits of a float, most of them in the range of 16 bits, and many in the middle of two such numbers. */
ENGINE_INLINE uint32_t bits_of(uint32_t random)
{
    const uint32_t near_range = (random & 1) != 0 ? (random & 0x8fffffff) | 0x30000000 : random;
    return (random & 2) != 0 ? near_range & 0xfffff000 : near_range;
}

ENGINE_INLINE void next(const struct rule *rule, const struct engine_near *near, struct engine_cell *cell)
{
    (void) rule;
    const uint32_t bits = engine_at(near, 1, 0).bits;
    cell->bits = engine_float_bits(engine_float_of_half(cell->half)) + bits * 2654435761u;
    cell->half = engine_half_of_float(engine_bits_float(bits_of(bits)));
}

#ifndef __CUDACC__
#include <math.h>

static const struct engine_field fields[] = {
    {ENGINE_GRID_FIELD("half", "", ENGINE_STATE, ENGINE_U16, 2), .reach = {1, 1, 0}},
    {ENGINE_GRID_FIELD("bits", "", ENGINE_STATE, ENGINE_U32, 2), .reach = {1, 1, 0}},
};

/* The definition: a sign, five bits of exponent and ten of the fraction. */
static uint32_t plain_float(uint32_t half)
{
    const int exponent = half >> 10 & 31, fraction = half & 1023;
    float value = (float) ldexp(fraction + (exponent > 0 ? 1024 : 0), (exponent > 0 ? exponent : 1) - 25);
    uint32_t bits;
    if (exponent == 31)
        value = INFINITY;
    if (half >> 15)
        value = -value;
    memcpy(&bits, &value, sizeof bits);
    return exponent == 31 && fraction ? 0x7fffffff : bits;
}

/* rint gives the nearest multiple of the last bit, and of two the even one. */
static uint32_t plain_half(uint32_t bits)
{
    float value;
    int exponent;
    memcpy(&value, &bits, sizeof value);
    if (isnan(value))
        return 0x7fff;
    frexp((double) value, &exponent);
    exponent = exponent < -13 || value == 0 ? -14 : exponent - 1;
    const double parts = fabs((double) value) >= 65520 ? 2048 : rint(ldexp(fabs((double) value), 10 - exponent));
    exponent = fabs((double) value) >= 65520 ? 15 : exponent;
    return (uint32_t) (signbit(value) ? 0x8000 : 0) + (uint32_t) ((exponent + 14) * 1024 + (int) parts);
}

static void plain(const struct place *place)
{
    const uint32_t bits = (uint32_t) plain_read(place, 1, 0, 1, 0, 0);
    const uint32_t ranged = bits & 1 ? (bits & 0x8fffffff) | 0x30000000 : bits;
    plain_write(place, 1, 0, (double) (plain_float((uint32_t) plain_read(place, 0, 0, 0, 0, 0)) + bits * 2654435761u));
    plain_write(place, 0, 0, (double) plain_half(bits & 2 ? ranged & 0xfffff000 : ranged));
}
#endif
