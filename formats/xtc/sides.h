/* What decoding and encoding share: the sides of small boxes, and the bits that numbers in a box take. */
#ifndef FORMATS_XTC_SIDES_H
#define FORMATS_XTC_SIDES_H

#include <stdint.h>

/* Sides of the small boxes: a box with side xtc_sides[i] has at most 2^i places. Sides below XTC_SMALL_FIRST are 0. */
enum { XTC_SMALL_FIRST = 9, XTC_SMALL_LAST = 72 };
extern const uint32_t xtc_sides[XTC_SMALL_LAST + 1] __attribute__((visibility("hidden")));

__extension__ typedef unsigned __int128 xtc_wide;

/* The bits of one number in the box of all atoms, or of all three together. */
struct xtc_bits {
    uint32_t sizes[3];
    uint32_t each[3]; /* if together is 0 */
    uint32_t together;
};

static inline uint32_t xtc_bits_of(xtc_wide number)
{
    uint32_t bits = 0;
    for (; number > 0; number >>= 1)
        bits++;
    return bits;
}

/* Three numbers of more than 24 bits are stored one by one. */
static inline struct xtc_bits xtc_bits_of_box(const uint32_t sizes[3])
{
    struct xtc_bits bits = {{sizes[0], sizes[1], sizes[2]}, {0, 0, 0}, 0};
    if ((sizes[0] | sizes[1] | sizes[2]) > 0xFFFFFF)
        for (int i = 0; i < 3; i++)
            bits.each[i] = xtc_bits_of(sizes[i]);
    else
        bits.together = xtc_bits_of((xtc_wide) sizes[0] * sizes[1] * sizes[2]);
    return bits;
}

#endif
