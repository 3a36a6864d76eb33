/* The caption of a picture: a strip below it with a bar that has a length, with the number of the step, and with the time.
 * Nothing of the picture is covered. */
#ifndef FORMATS_PICTURES_CAPTION_H
#define FORMATS_PICTURES_CAPTION_H

#include <engine/format.h>

struct caption {
    uint64_t width, height; /* pixels */
    uint8_t *levels;        /* of grey, row after row from the top */
};

/* Makes the caption of a picture that is `width` pixels wide and shows a unit of length as so many pixels. `unit` is
 * "cell", or the name of another unit; a plural ends with s. `time` is that of the step; NAN: not known. A text
 * that does not fit is left out. The caller releases
 * the levels. Returns 0, or ENGINE_NO_MEMORY with the reason recorded. */
int caption_make(const struct engine_file *file, struct caption *caption, uint64_t width, double pixels_per_unit,
                 const char *unit, uint64_t step, double time);

/* The height of such a caption at most. */
uint64_t caption_height_most(uint64_t width);

#endif
