/* Pictures of particles: how many lie behind each pixel, or how heavy they are. The first array of a frame has their
 * positions. The functions return 0, or a code with the reason recorded. */
#ifndef FORMATS_PICTURES_PNG_PARTICLES_H
#define FORMATS_PICTURES_PNG_PARTICLES_H

#include "formats/pictures/picture.h"

/* Chooses the bounds of pictures, and the range of depth if they have depth, unless the options have them. A series that keeps these options shows the same
 * square in every picture. `options` is a struct io_options. */
int particles_fix_bounds(const struct engine_file *file, const struct engine_file_frame *frame, void *options);

/* The same for the brightest shade: a series that keeps these options has the scale of its first picture. */
int particles_fix_white(const struct engine_file *file, const struct engine_file_frame *frame, void *options);

/* The shades of a picture: size[0] x size[1], rows from the top, which the caller frees, and the colours of shades. The
 * options of the file give the longer side and the bounds. */
struct particles_shades {
    uint64_t size[2];
    uint8_t *shades;
    uint8_t palette[256][3];
};
int particles_shades(const struct engine_file *file, const struct engine_file_frame *frame, void *made);

/* Writes a picture. */
int particles_draw(const struct scene *scene);

#endif
