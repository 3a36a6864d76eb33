/* PNG files in black and white, shades of grey or a colour map. A function gives their rows of samples one by one. */
#ifndef CORE_IO_PICTURE_H
#define CORE_IO_PICTURE_H

#include "io/io.h"

enum {
    PICTURE_ENLARGED_SIDE = 1024, /* pixels: the longer side of a small picture is enlarged to at most this */
    PICTURE_LONGEST_SIDE = 4096   /* pixels: the caller reduces a longer side to this */
};

struct picture {
    uint64_t width, height;  /* samples, 1 or more */
    uint64_t scale;          /* pixels per sample along each axis, 1 or more */
    bool bilevel;            /* samples are 0 (black) and 1 (white), 1 bit per pixel; otherwise 0 … 255, 8 bits */
    bool rgb;                /* a sample is red, green and blue, 8 bits each; `bilevel` is false */
    enum io_colours colours; /* of samples of 8 bits */
    const uint8_t (*own)[3]; /* with IO_AUTO: the colours of samples 0 … 255; NULL: grey */
    const char *title;       /* written to the file's text; "" is left out */
    const struct io_header *header; /* its rule, step and notes are written to the file's text */

    /* Writes `width` samples (with rgb, three bytes each) of row y, 0 at the top, to `samples`. It is called for each
     * row once, in order. An error ends the picture. */
    int (*row)(void *context, uint64_t y, uint8_t *samples, struct engine_error *error);
    void *context;
};

/* Returns the scale that enlarges a small picture to about PICTURE_ENLARGED_SIDE; 1 for a large one. */
uint64_t picture_scale(uint64_t width, uint64_t height);

/* Writes a picture to a new file. Returns ENGINE_STATUS_OUTPUT, without the file's name in the error, or the error of
 * `row`. */
int picture_write(int file, const struct picture *picture, struct engine_error *error);

#endif
