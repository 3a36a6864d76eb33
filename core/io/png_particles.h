/* Pictures of particles: how many lie behind each pixel, or how heavy they are. The first array of a scene has their
 * positions. The functions return 0, or a code with the reason recorded. */
#ifndef CORE_IO_PNG_PARTICLES_H
#define CORE_IO_PNG_PARTICLES_H

#include "io/picture.h"

/* Chooses the bounds of pictures, unless the options have bounds. A series that keeps these options shows the same
 * square in every picture. */
int particles_fix_bounds(const struct scene *scene, struct io_options *options);

/* The same for the brightest shade: a series that keeps these options has the scale of its first picture. */
int particles_fix_white(const struct scene *scene, struct io_options *options);

/* The shades of a picture: size[0] x size[1], rows from the top, which the caller frees, and the colours of shades. */
struct particles_shades {
    uint64_t size[2];
    uint8_t *shades;
    uint8_t palette[256][3];
};

/* The options give the longer side and the bounds. */
int particles_shades(const struct scene *scene, struct particles_shades *made);

/* Writes a picture. */
int particles_draw(const struct scene *scene);

#endif
