/* Colour maps for pictures: from a shade, 0 … 255, to red, green and blue. */
#ifndef CORE_IO_COLOURS_H
#define CORE_IO_COLOURS_H

#include <stdint.h>

enum io_colours { IO_GREY, IO_VIRIDIS, IO_INFERNO };

/* Writes the colours of all shades; of IO_GREY those are black to white. */
void colours_make(enum io_colours colours, uint8_t palette[256][3]);

#endif
