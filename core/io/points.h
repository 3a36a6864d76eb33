/* Patterns that list live cells in any order: the formats Life 1.05 and 1.06. */
#ifndef CORE_IO_POINTS_H
#define CORE_IO_POINTS_H

#include "io/io.h"
#include "io/text_file.h"

struct point {
    int64_t x, y;
};

struct points {
    struct point *at;
    uint64_t count, capacity;
    uint64_t next;     /* reading: the first cell that was not read yet */
    int64_t left, top; /* reading: the array's first cell */
    uint64_t width;
    char rule[IO_RULE_MAX];
    bool comments; /* the file has comments */
};

/* Adds a cell, which may be listed already. `text` gives the line for errors. */
int points_add(struct points *points, const struct text_file *text, int64_t x, int64_t y, struct engine_error *error);

/* Opens a file. `parse` turns its lines into points; the document is the smallest grid that contains them. */
int points_open(const char *path,
                int (*parse)(struct text_file *text, struct points *points, struct engine_error *error),
                struct io_document **document, struct engine_error *error);

#endif
