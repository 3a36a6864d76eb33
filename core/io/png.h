/* Pictures of grids and of particles, which films have too. */
#ifndef CORE_IO_PNG_H
#define CORE_IO_PNG_H

#include "io/picture.h"

/* The arrays of particles: the masses are among the others. */
#define PNG_ARRAYS "position *"

/* The function `holds` of these formats. */
int png_holds(const struct engine_file_array *array);

/* Writes the PNG file of a scene. Returns 0, or a code with the reason recorded. */
int png_draw(const struct scene *scene);

#endif
