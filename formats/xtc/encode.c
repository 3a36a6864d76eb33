/* Encoding of coordinates, with the same decisions as GROMACS: the bits are the same. */
#include "coordinates.h"
#include "sides.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { RUN_MAX = 8, SMALLS = 8 /* steps that `small` may grow */ };

/* ---- Bits -------------------------------------------------------------------------------------------------------- */

struct bits {
    unsigned char *at;
    uint64_t waiting; /* the lowest `count` bits */
    uint32_t count;   /* less than 8 after each call */
};

/* Adds up to 32 bits, the highest first. */
static void give(struct bits *bits, uint32_t number, uint32_t count)
{
    bits->waiting = bits->waiting << count | number;
    bits->count += count;
    for (; bits->count >= 8; bits->count -= 8)
        *bits->at++ = (unsigned char) (bits->waiting >> (bits->count - 8));
}

/* Makes one number of three: its bytes lowest first, and then its highest bits. */
static void give_digits(struct bits *bits, uint32_t count, const uint32_t sizes[3], const uint32_t numbers[3])
{
    xtc_wide number = ((xtc_wide) numbers[0] * sizes[1] + numbers[1]) * sizes[2] + numbers[2];
    for (; count > 8; count -= 8, number >>= 8)
        give(bits, (uint32_t) (number & 0xFF), 8);
    give(bits, (uint32_t) number, count);
}

/* ---- Rounding ---------------------------------------------------------------------------------------------------- */

int xtc_round(const float *positions, uint64_t atoms, float precision, int32_t *numbers, struct xtc_box *box)
{
    *box = (struct xtc_box){.precision = precision, .small = XTC_SMALL_FIRST};
    uint32_t nearest = INT_MAX;
    for (int i = 0; i < 3; i++) {
        box->least[i] = INT_MAX;
        box->greatest[i] = INT_MIN;
    }
    for (uint64_t atom = 0; atom < atoms; atom++) {
        int64_t away = 0;
        for (uint64_t i = 0; i < 3; i++) {
            const float product = positions[3 * atom + i] * precision;
            const float rounded = (float) (product >= 0 ? product + 0.5 : product - 0.5);
            if (!(rounded > -2147483000.0f && rounded < 2147483000.0f))
                return false;
            int32_t *number = &numbers[3 * atom + i];
            *number = (int32_t) rounded;
            box->least[i] = *number < box->least[i] ? *number : box->least[i];
            box->greatest[i] = *number > box->greatest[i] ? *number : box->greatest[i];
            if (atom > 0)
                away += llabs((int64_t) *number - number[-3]);
        }
        if (atom > 0 && away < nearest)
            nearest = (uint32_t) away;
    }
    for (int i = 0; i < 3; i++)
        if ((int64_t) box->greatest[i] - box->least[i] >= INT_MAX - 2)
            return false;
    while (box->small < XTC_SMALL_LAST && xtc_sides[box->small] < nearest)
        box->small++;
    return true;
}

uint64_t xtc_bytes_max(uint64_t atoms)
{
    return atoms * 14 + 64; /* 3 x 32 bits, a flag and 5 bits for each atom, which are 102 */
}

/* ---- Atoms ------------------------------------------------------------------------------------------------------- */

struct encoder {
    struct bits bits;
    struct xtc_bits box;
    const int32_t *least;
    int32_t small, small_least, small_most;
    int64_t smaller, half, larger; /* half of the sides: one step down, now, and of the greatest */
};

static bool within(const int32_t *a, const int32_t *b, int64_t distance)
{
    bool near = true;
    for (int i = 0; i < 3; i++)
        near = near && llabs((int64_t) a[i] - b[i]) < distance;
    return near;
}

static void swap(int32_t *a, int32_t *b)
{
    for (int i = 0; i < 3; i++) {
        const int32_t kept = a[i];
        a[i] = b[i];
        b[i] = kept;
    }
}

static void give_in_box(struct encoder *encoder, const int32_t *atom)
{
    uint32_t numbers[3];
    for (int i = 0; i < 3; i++)
        numbers[i] = (uint32_t) atom[i] - (uint32_t) encoder->least[i];
    if (encoder->box.together != 0)
        give_digits(&encoder->bits, encoder->box.together, encoder->box.sizes, numbers);
    else
        for (int i = 0; i < 3; i++)
            give(&encoder->bits, numbers[i], encoder->box.each[i]);
}

/* Counts the atoms that follow `atom` each within the small box of the one before it. `away` is the greatest square of
 * such a distance. */
static uint32_t count_near(const struct encoder *encoder, const int32_t *atom, uint64_t left, int64_t *away)
{
    uint32_t run = 0;
    *away = -1;
    while (run < RUN_MAX && run < left &&
           within(atom + 3 * (size_t) run, atom + 3 * ((size_t) run + 1), encoder->half)) {
        int64_t square = 0;
        for (int i = 0; i < 3; i++) {
            const int64_t difference = (int64_t) atom[3 * (run + 1) + (uint32_t) i] - atom[3 * run + (uint32_t) i];
            square += difference * difference;
        }
        *away = square > *away ? square : *away;
        run++;
    }
    return run;
}

static void give_run(struct encoder *encoder, const int32_t *atom, uint32_t run)
{
    const uint32_t side = xtc_sides[encoder->small], sizes[3] = {side, side, side};
    for (uint32_t k = 0; k < run; k++) {
        uint32_t numbers[3];
        for (uint32_t i = 0; i < 3; i++)
            numbers[i] = (uint32_t) (atom[3 * (k + 1) + i] - atom[3 * k + i] + encoder->half);
        give_digits(&encoder->bits, (uint32_t) encoder->small, sizes, numbers);
    }
}

static void change_small(struct encoder *encoder, int32_t change)
{
    encoder->small += change;
    if (change < 0) {
        encoder->half = encoder->smaller;
        encoder->smaller = xtc_sides[encoder->small - 1] / 2;
    } else if (change > 0) {
        encoder->smaller = encoder->half;
        encoder->half = xtc_sides[encoder->small] / 2;
    }
}

static void encode(struct encoder *encoder, int32_t *atom, uint64_t atoms)
{
    uint32_t run_before = UINT32_MAX;
    const int32_t none[3] = {0, 0, 0}, *before = none;
    for (uint64_t i = 0; i < atoms;) {
        int32_t change = 0;
        int64_t away;
        if (encoder->small < encoder->small_most && i > 0 && within(atom, before, encoder->larger))
            change = 1;
        else if (encoder->small > encoder->small_least)
            change = -1;
        const bool near = i + 1 < atoms && within(atom, atom + 3, encoder->half);
        if (near)
            swap(atom, atom + 3);
        else if (change < 0)
            change = 0;
        give_in_box(encoder, atom);
        const uint32_t run = near ? count_near(encoder, atom, atoms - i - 1, &away) : 0;
        if (run > 0 && change < 0 && away >= encoder->smaller * encoder->smaller)
            change = 0;
        give(&encoder->bits, run != run_before || change != 0, 1);
        if (run != run_before || change != 0)
            give(&encoder->bits, 3 * run + (uint32_t) (change + 1), 5);
        run_before = run;
        give_run(encoder, atom, run);
        change_small(encoder, change);
        before = atom + 3 * (size_t) run;
        atom += 3 * ((size_t) run + 1);
        i += run + 1;
    }
}

uint64_t xtc_encode(const struct xtc_box *box, int32_t *numbers, uint64_t atoms, unsigned char *bits)
{
    struct encoder encoder = {.bits = {.at = bits}, .least = box->least, .small = box->small};
    uint32_t sizes[3];
    for (int i = 0; i < 3; i++)
        sizes[i] = (uint32_t) (box->greatest[i] - box->least[i] + 1);
    encoder.box = xtc_bits_of_box(sizes);
    encoder.small_most = box->small + SMALLS < XTC_SMALL_LAST ? box->small + SMALLS : XTC_SMALL_LAST;
    encoder.small_least = encoder.small_most - SMALLS;
    encoder.smaller = xtc_sides[box->small > XTC_SMALL_FIRST ? box->small - 1 : XTC_SMALL_FIRST] / 2;
    encoder.half = xtc_sides[box->small] / 2;
    encoder.larger = xtc_sides[encoder.small_most] / 2;
    encode(&encoder, numbers, atoms);
    if (encoder.bits.count > 0)
        give(&encoder.bits, 0, 8 - encoder.bits.count);
    return (uint64_t) (encoder.bits.at - bits);
}
