/* Pictures of particles: how many lie behind each pixel, or how heavy they are. */
#ifndef CORE_IO_PNG_PARTICLES_H
#define CORE_IO_PNG_PARTICLES_H

#include "io/format.h"

/* Chooses the bounds of pictures by the particles that the document holds, unless the options have bounds. A series
 * that keeps these options shows the same square in every picture. */
int io_fix_bounds(struct io_document *document, struct io_options *options, struct engine_error *error);

/* The same for the brightest shade: a series that keeps these options has the scale of its first picture. */
int io_fix_white(struct io_document *document, struct io_options *options, struct engine_error *error);

/* Makes the shades of a picture: size[0] x size[1], rows from the top, which the caller frees. `array` is the index of
 * the positions in the document. The options give the longer side and the bounds. `palette` gets the colours of the
 * shades. */
int particles_shades(struct io_document *document, uint32_t array, const struct io_options *options, uint64_t size[2],
                     uint8_t **shades, uint8_t palette[256][3], struct engine_error *error);

/* Writes a picture of the particles whose positions are this array of the document. ENGINE_STATUS_OUTPUT. */
int particles_draw(int file, struct io_document *document, uint32_t array, const struct io_options *options,
                   struct engine_error *error);

#endif
