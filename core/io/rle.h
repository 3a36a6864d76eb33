/* The RLE formats: rle.c reads cells, rle_header.c reads the lines before them, rle_write.c writes patterns. The other
 * formats of Golly have rules and positions as in RLE. */
#ifndef CORE_IO_RLE_H
#define CORE_IO_RLE_H

#include "io/io.h"
#include "io/text_file.h"

#include <stdio.h>

/* The content of the lines before the cells. */
struct rle_prologue {
    uint64_t width, height, depth; /* of the pattern; depth 0: it has two axes */
    bool positioned;               /* the file has #CXRLE Pos: */
    int64_t position[2];           /* in Golly's coordinates, whose origin is the middle of the torus */
    struct io_header header;
};

/* Opens a file. `parse` reads its first lines, up to the cells. */
int rle_open(const char *path,
             int (*parse)(struct text_file *text, struct rle_prologue *prologue, struct engine_error *error),
             struct io_document **document, struct engine_error *error);

/* Reads up to the header line `x = m, y = n, rule = …` and checks it. ENGINE_STATUS_INPUT. */
int rle_parse_prologue(struct text_file *text, struct rle_prologue *prologue, struct engine_error *error);

/* Reads a rule up to the next blank, with the suffix of its bounded grid, into the header's rule and grid.
 * ENGINE_STATUS_INPUT. */
int rle_parse_rule(const struct text_file *text, const char *at, struct io_header *header, struct engine_error *error);

/* Finds the place of the pattern of `width` x `height` cells on its grid, if the header has one, from its position.
 * Golly gives the top left cell of a bounded grid the coordinates -int(w/2), -int(h/2). ENGINE_STATUS_INPUT. */
int rle_place(const struct text_file *text, struct rle_prologue *prologue, struct engine_error *error);

/* Moves *at behind "name =" and the blanks and commas around it. Returns false where something else is there. */
bool rle_take_key(const char **at, const char *name);

/* Writes the first array for which `writes` returns true. `put_header` writes the lines before the cells, and returns 0
 * or less on an error, as fprintf does. `gzip`: the file is compressed. `largest`: the largest state that the format
 * holds. An array that may have more than two states is written with '.' and 'A' for the states 0 and 1. */
int rle_write_file(int file, bool gzip, uint8_t largest, struct io_document *document,
                   bool (*writes)(const struct io_array *array),
                   int (*put_header)(FILE *file, const struct io_header *header, const struct io_array *array),
                   struct engine_error *error);

/* Returns the position of the array's first cell along an axis in Golly's coordinates, whose origin is the middle of the
 * grid. A pattern without a position is centred. */
long long rle_position(const struct io_header *header, const struct io_array *array, int axis);

/* Writes a rule that is not empty, with the suffix of its bounded grid. Returns 0 or less on an error, as fprintf
 * does. */
int rle_put_rule(FILE *file, const struct io_header *header);

bool rle_writes(const struct io_array *array);
int rle_write(int file, struct io_document *document, const struct io_options *options, struct engine_error *error);

#endif
