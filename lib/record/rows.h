/* A table of a run: a file that gets a row for each measurement. A resumed run cuts it and continues it. */
#ifndef LIB_RECORD_ROWS_H
#define LIB_RECORD_ROWS_H

#include "files/folder.h"

#include <stdio.h>

struct rows {
    const struct folder *folder; /* NULL: the rows stay in memory */
    char name[192];
    int descriptor;
    FILE *file;     /* writes to it; NULL: the table is not open */
    uint64_t bytes; /* of the file */
    char *text;     /* what was written so far, if there is no folder */
    size_t size;    /* of `text` */
};

/* Creates the file in the folder, with the line `names`. With `bytes` other than 0 it continues the existing file after
 * so many bytes and cuts off the rest. The folder must outlive the table. rows_close may be called after an error
 * too. ENGINE_STATUS_OUTPUT; ENGINE_STATUS_USAGE: the existing file has other columns. */
int rows_open(struct rows *table, const struct folder *folder, const char *name, const char *names, uint64_t bytes,
              struct engine_error *error);

/* Does nothing where the table was not opened: its bytes are zeros. */
void rows_close(struct rows *table);

/* Adds rows. */
int rows_add(struct rows *table, const char *rows, struct engine_error *error);

/* Synchronises the file to disk. It is an error if the file was removed. ENGINE_STATUS_OUTPUT. */
int rows_sync(const struct rows *table, struct engine_error *error);

#endif
