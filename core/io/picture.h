/* PNG pictures in black and white, shades of grey or a colour map, written from rows of samples that a function gives
 * one by one. */
#ifndef CORE_IO_PICTURE_H
#define CORE_IO_PICTURE_H

#include "io/io.h"

enum {
    PICTURE_ENLARGED_SIDE = 1024, /* a small picture's longer side is made as long as fits here */
    PICTURE_LONGEST_SIDE = 4096   /* what is longer should be reduced to this */
};

struct picture {
    uint64_t width, height;         /* samples, 1 or more */
    uint64_t scale;                 /* pixels a sample along each axis, 1 or more */
    bool bilevel;                   /* samples are 0, black, and 1, white: 1 bit a pixel; otherwise 0 … 255, 8 bits */
    enum io_colours colours;        /* of those */
    const char *title;              /* these go into the file's text; "" leaves one out */
    const struct io_header *header; /* its rule, step and notes do too */

    /* Writes `width` samples of row y, 0 at the top, to `samples`; rows come in order, each once. An error recorded
     * there ends the picture. */
    int (*row)(void *context, uint64_t y, uint8_t *samples, struct engine_error *error);
    void *context;
};

/* The scale at which a picture of this size is easy to look at. */
uint64_t picture_scale(uint64_t width, uint64_t height);

/* Writes a picture to a new file. ENGINE_STATUS_OUTPUT, without the file's name, or what `row` returned. */
int picture_write(const char *path, const struct picture *picture, struct engine_error *error);

#endif
