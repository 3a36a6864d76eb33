/* Gzip-ed files that unpack to far more than any pattern or table of particles does: deflate makes up to 1032 bytes of
 * one, so that a file of a megabyte could keep a reader busy with a gigabyte. */
#ifndef CORE_IO_GZIP_H
#define CORE_IO_GZIP_H

#include <stdbool.h>
#include <zlib.h>

enum { GZIP_BYTES_ALWAYS = 64 << 20, GZIP_RATIO_MAX = 200 };

#define GZIP_REFUSAL \
    "unpacks to more than 64 MiB and 200 times its size, which looks like damage or malice; gunzip it first if it is " \
    "right"

/* Has the file, read up to here, unpacked to more than that? */
static inline bool gzip_is_bomb(gzFile file)
{
    const z_off_t unpacked = gztell(file), packed = gzoffset(file);
    return unpacked > GZIP_BYTES_ALWAYS && unpacked / GZIP_RATIO_MAX > packed && !gzdirect(file);
}

#endif
