/* The parts of the RLE format: rle.c reads cells, rle_header.c the lines before them, rle_write.c writes. */
#ifndef CORE_IO_RLE_H
#define CORE_IO_RLE_H

#include "io.h"
#include "text.h"

/* What the lines before the cells say. */
/* What the lines before the cells say. */
struct rle_prologue {
    uint64_t width, height; /* of the pattern */
    bool positioned;        /* #CXRLE Pos was there: */
    int64_t position[2];    /* in Golly's coordinates, where the middle of a torus is the origin */
    struct io_header header;
};

/* Reads up to the header line `x = m, y = n, rule = …` and checks it. STATUS_INPUT. */
int rle_parse_prologue(struct text *text, struct rle_prologue *prologue, struct error *error);

bool rle_writes(const struct io_array *array);
int rle_write(const char *path, struct io_document *document, const struct io_options *options, struct error *error);

#endif
