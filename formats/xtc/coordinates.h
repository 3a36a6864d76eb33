/* The compressed coordinates of a frame of an XTC file. GROMACS calls this compression 3dfcoord.
 *
 * Coordinates are multiplied by a precision and rounded to whole numbers. A frame begins with their least and greatest
 * values, and so with the size of the box that they are in. Three numbers become one, as digits in a system whose bases
 * are the sizes. An atom is written in one of two ways: in the box of all atoms, or, after such an atom, in a small box
 * around the atom before it. `small` is the index of the small box's side in a table of sides; it changes by one step
 * up or down where that saves bits. For molecules of water, the first two atoms of a run of near ones change places:
 * the atom in the middle comes second, so that its neighbours on both sides are near.
 *
 *     one atom     [numbers in the box of all] [1 bit: does the run change?] [5 bits: 3 x length + change of `small`]
 *     then a run   [numbers in the small box] …
 *
 * The format is described by the sources of xdrfile (BSD licence) and of GROMACS. */
#ifndef FORMATS_XTC_COORDINATES_H
#define FORMATS_XTC_COORDINATES_H

#include <stddef.h>
#include <stdint.h>

enum {
    XTC_PADDING = 128, /* bytes of memory after the bits that decoding may read */
    XTC_ATOMS_RAW = 9  /* frames of at most so many atoms are not compressed */
};

/* The numbers before the bits. */
struct xtc_box {
    float precision;
    int32_t least[3], greatest[3];
    int32_t small;
};

/* Decodes `atoms` positions, x y z each, from bits that take `bytes` bytes; XTC_PADDING further bytes may be read.
 * Returns NULL, or what is wrong with the box or the bits. */
const char *xtc_decode(const struct xtc_box *box, const unsigned char *bits, uint64_t bytes, uint64_t atoms,
                       float *positions);

/* Rounds positions to whole numbers and finds their box. Returns false where a number does not fit. */
int xtc_round(const float *positions, uint64_t atoms, float precision, int32_t *numbers, struct xtc_box *box);

/* The greatest number of bytes that xtc_encode writes. */
uint64_t xtc_bytes_max(uint64_t atoms);

/* Writes the bits of the rounded positions, which it changes. Returns their bytes. */
uint64_t xtc_encode(const struct xtc_box *box, int32_t *numbers, uint64_t atoms, unsigned char *bits);

#endif
