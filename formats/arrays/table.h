/* Arrays of bins as a table: a row per bin, a column for each component of each array. */
#ifndef FORMATS_ARRAYS_TABLE_H
#define FORMATS_ARRAYS_TABLE_H

#include "files/common.h"

enum { TABLE_NAME = 32 + IO_ROW_SIZE };

struct table_part {
    char name[32];
    uint32_t type;
    uint64_t columns;           /* of the table: (elements of the array) / (rows of the table) */
    uint32_t components;        /* columns whose elements are adjacent in memory */
    void *elements;             /* the array, in C order */
    char (*names)[IO_ROW_SIZE]; /* of the columns; NULL: they have numbers */
    struct engine_plot plot;    /* how plots show the array; zero: as all others */
};

struct table {
    uint64_t rows;
    uint32_t count; /* of parts, an array each */
    struct table_part part[IO_ARRAYS_MAX];
};

/* Can this array be part of a table? It has real or whole numbers, and bins, or one axis in a file without names. */
int table_holds(const struct engine_file_array *array);

/* Reads the arrays of a frame. Returns 0, or a code with the reason recorded. */
int table_open(const struct engine_file *file, const struct engine_file_content *content, struct table *table);

/* Returns the index of an element of the table in its part. */
uint64_t table_element(const struct table *table, const struct table_part *part, uint64_t row, uint64_t column);

/* Writes the name of a column: the name of its array, with the column's own name, or its number from 0, where the array
 * has several. Returns out. */
const char *table_name(const struct table_part *part, uint64_t column, char out[TABLE_NAME]);

/* Return an element as a number, and as a text that gives the same bits again. */
double table_number(const struct table_part *part, uint64_t element);
const char *table_text(const struct table_part *part, uint64_t element, char out[32]);

#endif
