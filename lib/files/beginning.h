/* How a file begins, by which its format is recognised. */
#ifndef LIB_FILES_BEGINNING_H
#define LIB_FILES_BEGINNING_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

/* Refuses everything but regular files that are not empty. ENGINE_STATUS_INPUT. */
int io_check_is_file(const char *path, struct engine_error *error);

/* The first bytes of a file, as they are and unpacked, for probes. */
struct io_beginning {
    unsigned char bytes[4096], unpacked[4096];
    uint64_t count, unpacked_count;
    uint64_t size; /* of the file */
    bool gzip, zip;
    char name[4096];             /* the path; in an archive, with the name of the file in it */
    struct engine_error trouble; /* the reason why the file cannot be unpacked; status 0: none */
};

/* Reads the first bytes of a regular file. ENGINE_STATUS_INPUT. */
int io_read_beginning(const char *path, struct io_beginning *beginning, struct engine_error *error);

#endif
