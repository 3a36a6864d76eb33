/* The neighbourhoods of a cell of the plane: squares of three by three cells, the classes that rotations and
 * reflections make of them, and the letters that Alan Hensel gave to these classes.
 *
 * Bits of a square, which are also the order of a MAP string:     256 128  64
 *                                                                  32  16   8
 *                                                                   4   2   1 */
#ifndef LIFE_NEIGHBOURHOODS_H
#define LIFE_NEIGHBOURHOODS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum {
    LIFE_SQUARES = 512,
    LIFE_CELL = 0x010,        /* the cell in the middle */
    LIFE_MOORE = 0x1ef,       /* its eight neighbours */
    LIFE_VON_NEUMANN = 0x0aa, /* the four beside it */
    LIFE_HEXAGONAL = 0x1ab    /* six: not those at the upper right and at the lower left */
};

static inline uint32_t life_bits(uint32_t square)
{
    uint32_t bits = 0;
    for (; square; square &= square - 1)
        bits++;
    return bits;
}

/* The letters of a number of neighbours, in alphabetical order. n and 8 - n have the same letters, for squares with
 * dead neighbours in the place of live ones. */
static inline const char *life_letters(uint32_t neighbours)
{
    static const char *const letters[5] = {"", "ce", "aceikn", "aceijknqry", "aceijknqrtwyz"};
    return letters[neighbours <= 4 ? neighbours : 8 - neighbours];
}

/* A square of each class of n neighbours, in the order of life_letters(n). */
static inline const uint16_t *life_examples(uint32_t neighbours)
{
    static const uint16_t examples[5][13] = {{0},
                                             {1, 2},
                                             {3, 5, 10, 40, 33, 68},
                                             {11, 69, 42, 7, 14, 98, 13, 70, 41, 97},
                                             {15, 325, 170, 45, 106, 99, 71, 102, 43, 105, 78, 101, 108}};
    return examples[neighbours];
}

/* A quarter turn: the corners 256, 64, 1, 4 and the sides 128, 8, 2, 32 take each other's places. */
static inline uint32_t life_turned(uint32_t square)
{
    static const uint16_t ring[2][5] = {{256, 64, 1, 4, 256}, {128, 8, 2, 32, 128}};
    uint32_t turned = square & LIFE_CELL;
    for (int i = 0; i < 4; i++)
        for (int kind = 0; kind < 2; kind++)
            turned |= square & ring[kind][i] ? ring[kind][i + 1] : 0u;
    return turned;
}

/* The rows in the opposite order. */
static inline uint32_t life_mirrored(uint32_t square)
{
    return square >> 6 | (square & 070) | (square & 7) << 6;
}

/* Does a rotation or a reflection of one square give the other? */
static inline bool life_same_class(uint32_t a, uint32_t b)
{
    for (int turns = 0; turns < 4; turns++, a = life_turned(a))
        if (a == b || life_mirrored(a) == b)
            return true;
    return false;
}

/* The index of a square's letter in life_letters(n), of its n neighbours; 0 for n = 0 and 8, which have no letters. */
static inline uint32_t life_class(uint32_t square)
{
    uint32_t neighbours = life_bits(square & LIFE_MOORE), at = 0;
    const uint32_t kind = neighbours <= 4 ? square & LIFE_MOORE : ~square & LIFE_MOORE;
    if (neighbours > 4)
        neighbours = 8 - neighbours;
    while (neighbours > 0 && !life_same_class(life_examples(neighbours)[at], kind))
        at++;
    return at;
}

/* The index in "mop" of the letter of a square of 2, 3 or 4 hexagonal neighbours: o for those side by side, p for
 * opposite ones, and for three that are one apart, m for the others. 4 neighbours have the letter of the two others. */
static inline uint32_t life_hexagonal_class(uint32_t square)
{
    static const uint16_t ring[6] = {256, 128, 8, 1, 2, 32};
    uint32_t cells = 0;
    for (uint32_t i = 0; i < 6; i++)
        cells |= (square & ring[i] ? 1u : 0) << i;
    if (life_bits(cells) == 4)
        cells ^= 63;
    const uint32_t beside = life_bits(cells & (cells << 1 | cells >> 5)), opposite = cells & (cells << 3 | cells >> 3);
    if (life_bits(cells) == 2)
        return beside ? 1 : opposite ? 2 : 0;
    return beside == 2 ? 1 : beside == 1 ? 0 : 2;
}

#endif
