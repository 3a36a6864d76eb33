/* Pictures of volumes: a slice or a projection. */
#ifndef FORMATS_PICTURES_PNG_VOLUME_H
#define FORMATS_PICTURES_PNG_VOLUME_H

#include "formats/pictures/drawing.h"

/* Decides the plane of the picture, and which cells along the line of sight are added up. Call it before columns and
 * rows are computed. */
int volume_plan(struct drawing *drawing);

/* Reads the array and adds it to drawing->sums of all samples, which are 0 before. */
int volume_sum(struct drawing *drawing);

/* Give the rows of the picture after that: shades, or 0 and 1. `drawing` is a struct drawing. */
int volume_row(void *drawing, uint64_t row, uint8_t *samples);
int volume_bilevel_row(void *drawing, uint64_t row, uint8_t *samples);

#endif
