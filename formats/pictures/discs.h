/* Discs that are added up on a raster. The level of a pixel is the sum of the weights of the discs that cover it, each
 * multiplied by the covered part of the pixel. Or it is the highest of these products, so that a disc hides those of less
 * weight; such discs are darker towards their edges, like balls. Discs are added one after the other, so the levels do
 * not depend on threads. */
#ifndef FORMATS_PICTURES_DISCS_H
#define FORMATS_PICTURES_DISCS_H

#include <stdbool.h>
#include <stdint.h>

struct discs {
    uint64_t width, height; /* pixels; row 0 is the lowest */
    float *levels;          /* of the pixels, row after row */
    bool hide;              /* discs hide each other */
};

/* Adds a disc. Pixel (i, j) covers [i, i + 1) x [j, j + 1). The covered part of a pixel is taken as 1 if its centre
 * lies half a pixel or more inside the disc, 0 if it lies as far outside, and linear between. A disc of a diameter of
 * one pixel has a sum of about 1. Numbers that are not finite add nothing. */
void discs_add(struct discs *discs, double x, double y, double radius, double weight);

/* Returns a level that the share `above` of all levels above 0.5 exceeds, to a sixteenth of an octave; 0 if there are
 * no such levels. */
double discs_level(const struct discs *discs, double above);

#endif
