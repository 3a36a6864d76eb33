#include "formats/pictures/brightness.h"

#include <math.h>

uint8_t brightness_shade(const struct brightness *brightness, double level)
{
    double shade = brightness->one * level;
    if (level > 1)
        shade = brightness->one + (1 - brightness->one) * log(level) / log(brightness->white);
    return shade >= 1 ? 255 : shade > 0 ? (uint8_t) lround(255 * shade) : 0;
}

void brightness_colours(const struct brightness *brightness, enum io_colours colours, bool discs,
                        uint8_t palette[256][3])
{
    colours_make(colours == IO_AUTO ? IO_INFERNO : colours, palette);
    const int one = (int) lround(255 * brightness->one);
    for (int shade = 1; discs && shade < one; shade++)
        for (int c = 0; c < 3; c++)
            palette[shade][c] = (uint8_t) ((palette[0][c] * (one - shade) + palette[one][c] * shade + one / 2) / one);
}
