/* Decoding of coordinates. The position in the bits is the only thing that one atom takes from the atom before it, so
 * the processor works on several atoms at once. Divisions by the sizes of boxes are multiplications by their
 * reciprocals. */
#include "coordinates.h"
#include "sides.h"

#include <string.h>

const uint32_t xtc_sides[XTC_SMALL_LAST + 1] = {
    0,       0,       0,       0,       0,        0,        0,       0,       0,       8,       10,
    12,      16,      20,      25,      32,       40,       50,      64,      80,      101,     128,
    161,     203,     256,     322,     406,      512,      645,     812,     1024,    1290,    1625,
    2048,    2580,    3250,    4096,    5060,     6501,     8192,    10321,   13003,   16384,   20642,
    26007,   32768,   41285,   52015,   65536,    82570,    104031,  131072,  165140,  208063,  262144,
    330280,  416127,  524287,  660561,  832255,   1048576,  1321122, 1664510, 2097152, 2642245, 3329021,
    4194304, 5284491, 6658042, 8388607, 10568983, 13316085, 16777216};

/* ---- Bits -------------------------------------------------------------------------------------------------------- */

struct bits {
    const unsigned char *bytes;
    uint64_t at;  /* in bits */
    uint64_t end; /* in bits */
};

/* Returns the next bits as the highest ones of a word. At least 57 of them are in the file or its padding. */
static inline uint64_t next_bits(const struct bits *bits)
{
    uint64_t word;
    memcpy(&word, bits->bytes + (bits->at >> 3), sizeof word);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word << (bits->at & 7);
}

/* Takes a number of 0 to 32 bits, the highest first. */
static inline uint32_t take(struct bits *bits, uint32_t count)
{
    const uint64_t word = next_bits(bits);
    bits->at += count;
    return count > 0 ? (uint32_t) (word >> (64 - count)) : 0;
}

/* ---- Three numbers in one ---------------------------------------------------------------------------------------- */

/* How three numbers with these sizes are taken out of one number. The bytes of the number come lowest first, and the
 * highest bits last, in a part of a byte. */
struct digits {
    uint32_t count;         /* of bits */
    uint32_t whole;         /* bits of whole bytes */
    uint64_t low;           /* mask of these bits */
    uint32_t sizes[3];      /* of which the first is not used */
    uint64_t reciprocal[3]; /* 2^64 / size, rounded up; 0: the number is too long for the reciprocals */
};

/* q = floor(n / d) is the upper half of n * m with m = ceil(2^64 / d), where n * (m d - 2^64) < 2^64: that holds for
 * n < 2^64 / d (Granlund and Montgomery, PLDI 1994). */
static void set_digits(struct digits *digits, uint32_t count, const uint32_t sizes[3])
{
    enum { ONE_LOAD = 57 };
    *digits = (struct digits){.count = count, .whole = count > 0 ? (count - 1) / 8 * 8 : 0};
    digits->low = ((uint64_t) 1 << (digits->whole & 63)) - 1;
    memcpy(digits->sizes, sizes, sizeof digits->sizes);
    for (int i = 1; i < 3; i++)
        if (count <= ONE_LOAD && count + xtc_bits_of(sizes[i]) <= 64 && sizes[i] > 1)
            digits->reciprocal[i] = UINT64_MAX / sizes[i] + 1;
}

/* A number of up to 72 bits, or with sizes for which there is no reciprocal. */
static __attribute__((noinline)) void take_long_digits(struct bits *bits, const struct digits *digits,
                                                       uint32_t numbers[3])
{
    xtc_wide number = 0;
    uint32_t shift = 0;
    for (; shift < digits->whole; shift += 8)
        number |= (xtc_wide) take(bits, 8) << shift;
    number |= (xtc_wide) take(bits, digits->count - digits->whole) << shift;
    for (int i = 2; i > 0; i--) {
        numbers[i] = (uint32_t) (number % digits->sizes[i]);
        number /= digits->sizes[i];
    }
    numbers[0] = (uint32_t) number;
}

static inline void take_digits(struct bits *bits, const struct digits *digits, uint32_t numbers[3])
{
    if (digits->reciprocal[1] == 0 || digits->reciprocal[2] == 0) {
        take_long_digits(bits, digits, numbers);
        return;
    }
    const uint64_t word = next_bits(bits);
    const uint64_t last = word << digits->whole >> (64 - (digits->count - digits->whole));
    uint64_t number = (__builtin_bswap64(word) & digits->low) | last << digits->whole;
    bits->at += digits->count;
    for (int i = 2; i > 0; i--) {
        const uint64_t quotient = (uint64_t) ((xtc_wide) number * digits->reciprocal[i] >> 64);
        numbers[i] = (uint32_t) (number - quotient * digits->sizes[i]);
        number = quotient;
    }
    numbers[0] = (uint32_t) number;
}

/* ---- Atoms ------------------------------------------------------------------------------------------------------- */

/* What the atoms of a frame have in common, and the run that the last bits gave. */
struct decoder {
    struct bits bits;
    struct xtc_bits box;
    struct digits of_box;
    struct digits of_small[XTC_SMALL_LAST + 1]; /* those with a count are made */
    uint32_t least[3];
    float scale;
};

static inline void put(const struct decoder *decoder, const uint32_t numbers[3], float *position)
{
    for (int i = 0; i < 3; i++)
        position[i] = (float) (int32_t) numbers[i] * decoder->scale;
}

static inline void take_in_box(struct decoder *decoder, uint32_t numbers[3])
{
    if (decoder->box.together != 0)
        take_digits(&decoder->bits, &decoder->of_box, numbers);
    else
        for (int i = 0; i < 3; i++)
            numbers[i] = take(&decoder->bits, decoder->box.each[i]);
    for (int i = 0; i < 3; i++)
        numbers[i] += decoder->least[i];
}

/* Adds a place in a small box to the centre of that box. */
static inline void take_near(struct decoder *decoder, const struct digits *digits, uint32_t half,
                             const uint32_t before[3], uint32_t numbers[3])
{
    take_digits(&decoder->bits, digits, numbers);
    for (int i = 0; i < 3; i++)
        numbers[i] += before[i] - half;
}

/* NULL: there is no such side. A change behind the last run may lead there. */
static const struct digits *small_digits(struct decoder *decoder, int32_t small)
{
    if (small < XTC_SMALL_FIRST || small > XTC_SMALL_LAST)
        return NULL;
    struct digits *digits = &decoder->of_small[small];
    const uint32_t side = xtc_sides[small];
    if (digits->count == 0)
        set_digits(digits, (uint32_t) small, (const uint32_t[3]){side, side, side});
    return digits;
}

static const char *decode(struct decoder *decoder, int32_t small, uint64_t atoms, float *positions)
{
    uint32_t run = 0;
    const struct digits *digits = small_digits(decoder, small);
    for (uint64_t i = 0; i < atoms;) {
        uint32_t first[3], near[3];
        int32_t change = 0;
        take_in_box(decoder, first);
        if (take(&decoder->bits, 1) != 0) {
            const uint32_t code = take(&decoder->bits, 5);
            change = (int32_t) (code % 3) - 1;
            run = code / 3;
        }
        if (run >= atoms - i)
            return "a run of atoms goes beyond the last atom";
        if (run == 0)
            put(decoder, first, positions);
        else if (digits == NULL)
            return "the side of the small box leaves its table";
        const uint32_t half = digits != NULL ? xtc_sides[small] / 2 : 0;
        for (uint32_t k = 0; k < run; k++) {
            take_near(decoder, digits, half, first, near);
            if (k == 0) { /* the first two atoms of a run change places */
                put(decoder, near, positions);
                put(decoder, first, positions + 3);
            } else {
                put(decoder, near, positions + 3 * ((size_t) k + 1));
            }
            memcpy(first, near, sizeof first);
        }
        positions += 3 * ((size_t) run + 1);
        i += run + 1;
        if (decoder->bits.at > decoder->bits.end)
            return "the bits end before the last atom";
        if (change != 0) {
            small += change;
            digits = small_digits(decoder, small);
        }
    }
    return NULL;
}

const char *xtc_decode(const struct xtc_box *box, const unsigned char *bits, uint64_t bytes, uint64_t atoms,
                       float *positions)
{
    struct decoder decoder = {.bits = {bits, 0, 8 * bytes}, .scale = 1.0f / box->precision};
    uint32_t sizes[3];
    if (!(box->precision > 0 && decoder.scale > 0))
        return "the precision is not a positive number";
    if (box->small < XTC_SMALL_FIRST || box->small > XTC_SMALL_LAST)
        return "the side of the small box is not in its table";
    for (int i = 0; i < 3; i++) {
        const int64_t length = (int64_t) box->greatest[i] - box->least[i] + 1;
        if (length < 1 || length > INT32_MAX)
            return "the greatest coordinates are not above the least ones";
        sizes[i] = (uint32_t) length;
        decoder.least[i] = (uint32_t) box->least[i];
    }
    decoder.box = xtc_bits_of_box(sizes);
    if (decoder.box.together != 0)
        set_digits(&decoder.of_box, decoder.box.together, sizes);
    return decode(&decoder, box->small, atoms, positions);
}
