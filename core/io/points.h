/* Patterns that list live cells in any order: the formats Life 1.05 and 1.06. */
#ifndef CORE_IO_POINTS_H
#define CORE_IO_POINTS_H

#include "io/pattern.h"
#include "io/text_file.h"

struct point {
    int64_t x, y;
};

struct points {
    struct pattern pattern;
    struct point *at;
    uint64_t count, capacity;
    uint64_t next;     /* reading: the first cell that was not read yet */
    int64_t left, top; /* reading: the array's first cell */
    uint64_t width;
    bool comments; /* the file has comments */
};

/* Adds a cell, which may be listed already. `text` gives the line for errors. */
int points_add(struct points *points, const struct text_file *text, int64_t x, int64_t y);

/* Opens a file. `parse` turns its lines into points, and fills in the rule of their header; the grid is the smallest
 * one that contains them. */
int points_open(const struct engine_file *file, struct engine_file_content *content, void **self,
                int (*parse)(struct text_file *text, struct points *points));

/* The functions of the formats. */
int points_read(const struct engine_file *file, void *self, uint64_t number, uint32_t array, uint64_t begin,
                uint64_t count, void *out);
void points_close(const struct engine_file *file, void *self);

#endif
