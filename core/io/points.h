/* Live cells given one by one, in any order: what the Life 1.05 and 1.06 formats share. */
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
    uint64_t next;     /* reading: the first one that is not yet read */
    int64_t left, top; /* reading: the array's first cell */
    uint64_t width;
    char rule[IO_RULE_MAX];
};

/* Adds a cell; it may be there already. The text says where the file stands, for errors. */
int points_add(struct points *points, const struct text_file *text, int64_t x, int64_t y, struct engine_error *error);

/* Opens a file whose lines `parse` turns into points, and makes the smallest grid that holds them all. */
int points_open(const char *path,
                int (*parse)(struct text_file *text, struct points *points, struct engine_error *error),
                struct io_document **document, struct engine_error *error);

#endif
