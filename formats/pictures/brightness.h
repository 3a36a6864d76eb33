/* From the levels of a picture of particles to shades, and from shades to colours. */
#ifndef FORMATS_PICTURES_BRIGHTNESS_H
#define FORMATS_PICTURES_BRIGHTNESS_H

#include "files/colours.h"

#include <stdbool.h>

/* The scale of a picture. Shades rise linearly from 0 to `one` for the level 1, which is that of one particle, and from
 * there with the logarithm of the level to 1 for the level `white`. So a single particle can be seen, and the brightest
 * parts of a picture still differ. */
struct brightness {
    double one;   /* the shade of the level 1, 0 … 1 */
    double white; /* the level of the brightest shade, more than 1 */
};

/* Returns the shade of a level, 0 … 255. */
uint8_t brightness_shade(const struct brightness *brightness, double level);

/* Makes the colours of all shades. IO_AUTO stands for inferno. `discs`: the edge of a disc mixes the colour of the disc
 * with that of the background, instead of passing through the colours between them. */
void brightness_colours(const struct brightness *brightness, enum io_colours colours, bool discs,
                        uint8_t palette[256][3]);

#endif
