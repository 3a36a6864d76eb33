/* Gzip files: how they are written, why they cannot be read, and which are refused. */
#ifndef LIB_FILES_GZIP_H
#define LIB_FILES_GZIP_H

#include <stdbool.h>
#include <stdio.h>
#include <zlib.h>

/* Opens a stream that writes to a file descriptor, compressed or not, as bytes_stream does. fclose leaves the
 * descriptor open. Returns NULL on an error, with errno. */
FILE *gzip_stream(int file, bool compressed);

/* Opens a file for gzip_read. NULL, with errno, or 0 where there is no memory. */
gzFile gzip_open_input(const char *path);

/* Reads as gzread does, from a file that was opened with gzopen. If a signal interrupts it, opens the file again and
 * goes on. */
int gzip_read(gzFile *file, const char *path, void *out, unsigned bytes);

/* Returns the reason why the file could not be read further, or NULL where there was no error. A gzip file that is cut
 * short looks like an ordinary end of file to gzread. */
const char *gzip_trouble(gzFile file);

/* A small gzip file can keep a reader busy with gigabytes, because deflate makes up to 1032 bytes of one. This limit is
 * far above the compression of any pattern or table of particles. */
enum { GZIP_BYTES_ALWAYS = 64 << 20, GZIP_RATIO_MAX = 200 };

#define GZIP_REFUSAL \
    "unpacks to more than 64 MiB and 200 times its size, which looks like damage or malice; if that is " \
    "intended, gunzip it first"

/* Has the file, as far as it was read, unpacked to more than the limit? */
bool gzip_is_bomb(gzFile file);

#endif
