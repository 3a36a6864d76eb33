/* The operators of engine/stencil_bits.cuh, compiled for the host: 32 lanes of bit planes beside 32 bytes. Random
 * expressions, so that numbers of every largest value meet. Prints TAP. */
#define __host__
#define __device__
#define __forceinline__ inline
#include <cstdint>
uint32_t __byte_perm(uint32_t low, uint32_t high,
                     uint32_t selector); /* the conversion of bytes, which nobody calls here */
#include <engine/stencil_bits.cuh>

#include <cstdio>
#include <cstdlib>
#include <vector>

enum { LANES = 32, ROUNDS = 4000, NUMBERS = 30 };

struct number {
    engine_states planes;
    uint8_t bytes[LANES];
};

struct truth {
    engine_mask mask;
    bool values[LANES];
};

static uint64_t state = 1;

static uint32_t dice(uint32_t sides)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t) (state >> 33) % sides;
}

/* Random numbers of so many bits, as a kernel reads them. */
static number leaf(int bits)
{
    number made = {0, {}};
    made.planes.most = (1u << bits) - 1;
    for (int lane = 0; lane < LANES; lane++) {
        made.bytes[lane] = (uint8_t) dice(1u << bits);
        for (int b = 0; b < 8; b++)
            made.planes.plane[b] |= (uint32_t) (made.bytes[lane] >> b & 1) << lane;
    }
    return made;
}

static number constant(int value)
{
    number made = {value, {}};
    for (uint8_t &byte : made.bytes)
        byte = (uint8_t) value;
    return made;
}

static truth compare(const number &a, const number &b, uint32_t which)
{
    truth made = {};
    switch (which) {
    case 0:
        made.mask = a.planes == b.planes;
        break;
    case 1:
        made.mask = a.planes != b.planes;
        break;
    case 2:
        made.mask = a.planes < b.planes;
        break;
    case 3:
        made.mask = a.planes <= b.planes;
        break;
    case 4:
        made.mask = a.planes > b.planes;
        break;
    default:
        made.mask = a.planes >= b.planes;
        break;
    }
    for (int i = 0; i < LANES; i++) {
        const int x = a.bytes[i], y = b.bytes[i];
        const bool values[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
        made.values[i] = values[which];
    }
    return made;
}

static truth combine(const truth &a, const truth &b, uint32_t which)
{
    truth made = {};
    switch (which) {
    case 0:
        made.mask = a.mask && b.mask;
        break;
    case 1:
        made.mask = a.mask || b.mask;
        break;
    case 2:
        made.mask = a.mask & b.mask;
        break;
    case 3:
        made.mask = a.mask | b.mask;
        break;
    case 4:
        made.mask = a.mask ^ b.mask;
        break;
    default:
        made.mask = !a.mask;
        break;
    }
    for (int i = 0; i < LANES; i++) {
        const bool x = a.values[i], y = b.values[i];
        const bool values[] = {x && y, x || y, x && y, x || y, x != y, !x};
        made.values[i] = values[which];
    }
    return made;
}

static number count(const truth &a, const truth &b)
{
    number made = {a.mask + b.mask, {}};
    for (int i = 0; i < LANES; i++)
        made.bytes[i] = (uint8_t) (a.values[i] + b.values[i]);
    return made;
}

static number compute(const number &a, const number &b, const truth &c, uint32_t which)
{
    number made = a;
    switch (which) {
    case 0:
        made.planes = a.planes + b.planes;
        break;
    case 1:
        made.planes = a.planes - b.planes;
        break;
    case 2:
        made.planes = a.planes & b.planes;
        break;
    case 3:
        made.planes = a.planes | b.planes;
        break;
    case 4:
        made.planes = a.planes ^ b.planes;
        break;
    case 5:
        made.planes += c.mask;
        break;
    default:
        made.planes = engine_if(c.mask, a.planes, b.planes);
        break;
    }
    for (int i = 0; i < LANES; i++) {
        const int x = a.bytes[i], y = b.bytes[i];
        const int values[] = {x + y, x + 256 - y, x & y, x | y, x ^ y, x + c.values[i], c.values[i] ? x : y};
        made.bytes[i] = (uint8_t) values[which];
    }
    return made;
}

/* Are the lanes right, and the planes above `most` clear? */
static bool right(const number &a)
{
    for (int i = 0; i < LANES; i++) {
        uint32_t value = 0;
        for (int b = 0; b < 8; b++)
            value |= (a.planes.plane[b] >> i & 1) << b;
        if (value != a.bytes[i] || value > a.planes.most)
            return false;
    }
    return true;
}

static bool right(const truth &a)
{
    for (int i = 0; i < LANES; i++)
        if ((a.mask.bits >> i & 1) != a.values[i])
            return false;
    return true;
}

int main()
{
    static const char *const numbers[] = {"+", "-", "&", "|", "^", "+= a truth value", "engine_if"};
    static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">="};
    static const char *const logic[] = {"&&", "||", "& of truth values", "| of truth values", "^ of truth values", "!"};
    int wrong[7] = {}, wrong_comparisons[6] = {}, wrong_logic[6] = {}, wrong_counts = 0, failed = 0, test = 0;
    for (int round = 0; round < ROUNDS; round++) {
        std::vector<number> all;
        std::vector<truth> truths;
        for (int bits = 1; bits <= 8; bits++)
            all.push_back(leaf(bits));
        all.push_back(constant((int) dice(256)));
        all.push_back(constant(-1 - (int) dice(3)));
        truths.push_back(compare(all[0], all[1], 0));
        while (all.size() < NUMBERS) {
            const number &a = all[dice((uint32_t) all.size())], &b = all[dice((uint32_t) all.size())];
            const uint32_t comparison = dice(6), operation = dice(6), which = dice(7);
            const truth found = compare(a, b, comparison);
            const truth both = combine(found, truths[dice((uint32_t) truths.size())], operation);
            const number counted = count(found, both), made = compute(a, b, both, which);
            wrong_comparisons[comparison] += !right(found);
            wrong_logic[operation] += !right(both);
            wrong_counts += !right(counted);
            wrong[which] += !right(made);
            truths.push_back(both);
            all.push_back(counted);
            all.push_back(made);
        }
    }
    const auto tell = [&](const char *name, int errors) {
        printf("%sok %d - %s\n", errors ? "not " : "", ++test, name);
        if (errors)
            printf("# wrong in %d of %d expressions\n", errors, ROUNDS * NUMBERS / 2);
        failed += errors != 0;
    };
    for (int i = 0; i < 7; i++)
        tell(numbers[i], wrong[i]);
    for (int i = 0; i < 6; i++)
        tell(comparisons[i], wrong_comparisons[i]);
    for (int i = 0; i < 6; i++)
        tell(logic[i], wrong_logic[i]);
    tell("sums of truth values", wrong_counts);
    printf("1..%d\n", test);
    return failed != 0;
}
