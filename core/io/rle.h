/* The parts of the RLE format: rle.c reads cells, rle_header.c the lines before them, rle_write.c writes. */
#ifndef CORE_IO_RLE_H
#define CORE_IO_RLE_H

#include "io/io.h"
#include "io/text_file.h"

/* What the lines before the cells say. */
struct rle_prologue {
    uint64_t width, height, depth; /* of the pattern; depth 0: it has two axes */
    bool positioned;               /* #CXRLE Pos was there: */
    int64_t position[2];           /* in Golly's coordinates, where the middle of a torus is the origin */
    struct io_header header;
};

/* Opens a file whose first lines `parse` reads, up to where the cells begin. */
int rle_open(const char *path,
             int (*parse)(struct text_file *text, struct rle_prologue *prologue, struct engine_error *error),
             struct io_document **document, struct engine_error *error);

/* Reads up to the header line `x = m, y = n, rule = …` and checks it. ENGINE_STATUS_INPUT. */
int rle_parse_prologue(struct text_file *text, struct rle_prologue *prologue, struct engine_error *error);

/* Moves *at behind "name =" and the blanks and commas around it; false: something else is there. */
bool rle_take_key(const char **at, const char *name);

/* Writes the first array that the format writes, behind the lines that `put_header` writes, which returns zlib's kind
 * of answer: 0 or less is an error. A path that ends in .gz is compressed. */
int rle_write_file(const char *path, struct io_document *document, bool (*writes)(const struct io_array *array),
                   int (*put_header)(gzFile file, const struct io_header *header, const struct io_array *array),
                   struct engine_error *error);

bool rle_writes(const struct io_array *array);
int rle_write(const char *path, struct io_document *document, const struct io_options *options,
              struct engine_error *error);

#endif
