/* Arrays of bins as a table: a row a bin, a column for each component of each array. */
#ifndef CORE_IO_TABLE_H
#define CORE_IO_TABLE_H

#include "io/io.h"

struct table_part {
    char name[32];
    uint32_t type;
    uint64_t columns;    /* of the table: components, of each row of bins */
    uint32_t components; /* that stand side by side */
    void *elements;      /* in C order */
};

struct table {
    uint64_t rows;
    uint32_t count; /* of parts, an array each */
    struct table_part part[IO_ARRAYS_MAX];
};

/* Can this array be part of a table: real or whole numbers, of bins or of one axis in a file that names nothing? */
bool table_takes(const struct io_array *array);

/* Reads the document's first such array, and all others of as many rows. ENGINE_STATUS_OUTPUT, or what reading
 * gives. */
int table_open(struct io_document *document, struct table *table, struct engine_error *error);
void table_close(struct table *table);

/* Where an element of the table lies in its part. */
uint64_t table_element(const struct table *table, const struct table_part *part, uint64_t row, uint64_t column);

/* What a column is called: its array, with its number from 0 behind that where there are several. Returns out. */
const char *table_name(const struct table_part *part, uint64_t column, char out[64]);

/* An element as a number, and as text that gives the same bits again. */
double table_number(const struct table_part *part, uint64_t element);
const char *table_text(const struct table_part *part, uint64_t element, char out[32]);

#endif
