/* Pictures of grids and of particles, which films have too. */
#ifndef FORMATS_PICTURES_PNG_H
#define FORMATS_PICTURES_PNG_H

#include "formats/pictures/picture.h"

/* The arrays of particles: the masses are among the others. */
#define PNG_ARRAYS "position *"

/* The function `holds` of these formats. */
int png_holds(const struct engine_file_array *array);

/* Writes the PNG file of a scene. Returns 0, or a code with the reason recorded. */
int png_draw(const struct scene *scene);

#endif
