/* PNG files in black and white, shades of grey or a colour map. A function gives their rows of samples one by one. */
#ifndef FORMATS_PICTURES_PICTURE_H
#define FORMATS_PICTURES_PICTURE_H

#include "files/format.h"

#include <stdio.h>

enum {
    PICTURE_ENLARGED_SIDE = 1024, /* pixels: the longer side of a small picture is enlarged to at most this */
    PICTURE_LONGEST_SIDE = 4096   /* pixels: the caller reduces a longer side to this */
};

/* What a format of pictures was asked to show, in the present call: the first array of the frame, or the particles
 * whose positions it has. */
struct scene {
    const struct engine_file *file;
    const struct engine_file_content *content;
    const struct engine_file_frame *frame;
    const struct io_options *options;
    FILE *stream; /* gets the bytes of the PNG file */
};

struct picture {
    uint64_t width, height;    /* samples, 1 or more */
    uint64_t scale;            /* pixels per sample along each axis, 1 or more */
    bool bilevel;              /* samples are 0 (black) and 1 (white), 1 bit per pixel; otherwise 0 … 255, 8 bits */
    bool rgb;                  /* a sample is red, green and blue, 8 bits each; `bilevel` is false */
    enum io_colours colours;   /* of samples of 8 bits */
    const uint8_t (*own)[3];   /* with IO_AUTO: the colours of samples 0 … 255; NULL: grey */
    double samples_per_unit;   /* of length, for a caption: */
    const char *unit;          /* "cell", or the name of another unit */
    const struct scene *scene; /* the array's name, the rule, the step and the notes are written to the file's text */

    /* Writes `width` samples (with rgb, three bytes each) of row y, 0 at the top, to `samples`. It is called for each
     * row once, in order. Returns 0, or a code that ends the picture, with the reason recorded. */
    int (*row)(void *context, uint64_t y, uint8_t *samples);
    void *context;
};

/* Returns the scale that enlarges a small picture to about PICTURE_ENLARGED_SIDE; 1 for a large one. */
uint64_t picture_scale(uint64_t width, uint64_t height);

/* Writes a picture to the stream of its scene. Returns 0, or a code with the reason recorded. */
int picture_write(const struct picture *picture);

#endif
