/* Colour maps for pictures: from a shade, 0 … 255, to red, green and blue. IO_AUTO stands for the colours of the array
 * that is drawn, or for grey where it has none. */
#ifndef LIB_FILES_COLOURS_H
#define LIB_FILES_COLOURS_H

#include <stdint.h>

enum io_colours { IO_GREY, IO_VIRIDIS, IO_INFERNO, IO_AUTO };

/* Writes the colours of all shades of a map, which is not IO_AUTO; of IO_GREY those are black to white. */
void colours_make(enum io_colours colours, uint8_t palette[256][3]);

#endif
