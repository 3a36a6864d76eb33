#include "files/gzip.h"
#include "files/bytes.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- Writing ----------------------------------------------------------------------------------------------------- */

/* What zlib's gzwrite does, on bytes_write: zlib itself gives up where a signal interrupts it. */
struct packing {
    int file;
    z_stream deflater;
    unsigned char out[1 << 16];
};

/* Compresses the input of the deflater, and writes what comes out. */
static bool pack(struct packing *packing, int flush)
{
    do {
        packing->deflater.next_out = packing->out;
        packing->deflater.avail_out = sizeof packing->out;
        deflate(&packing->deflater, flush); /* cannot fail: there is room, and the stream is valid */
        if (!bytes_write(packing->file, packing->out, sizeof packing->out - packing->deflater.avail_out))
            return false;
    } while (packing->deflater.avail_out == 0);
    return true;
}

static ssize_t packing_write(void *cookie, const char *data, size_t bytes)
{
    struct packing *packing = cookie;
    packing->deflater.next_in = (z_const Bytef *) (uintptr_t) data;
    packing->deflater.avail_in = (uInt) bytes; /* a stream's buffer, or less than 4 GiB of a caller's */
    return bytes <= UINT_MAX && pack(packing, Z_NO_FLUSH) ? (ssize_t) bytes : 0;
}

static int packing_close(void *cookie)
{
    struct packing *packing = cookie;
    packing->deflater.avail_in = 0;
    const bool written = pack(packing, Z_FINISH);
    const int why = errno;
    deflateEnd(&packing->deflater);
    free(packing);
    errno = why;
    return written ? 0 : -1;
}

FILE *gzip_stream(int file, bool compressed)
{
    static const cookie_io_functions_t functions = {.write = packing_write, .close = packing_close};
    enum { GZIP_FORMAT = 16, MEMORY = 8 }; /* zlib's default of memory */
    if (!compressed)
        return bytes_stream(file);
    struct packing *packing = calloc(1, sizeof *packing);
    if (packing == NULL)
        return NULL;
    packing->file = file;
    FILE *stream = NULL;
    const bool begun = deflateInit2(&packing->deflater, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP_FORMAT,
                                    MEMORY, Z_DEFAULT_STRATEGY) == Z_OK;
    if (begun && (stream = fopencookie(packing, "w", functions)) != NULL)
        return stream;
    if (begun)
        deflateEnd(&packing->deflater);
    free(packing);
    errno = ENOMEM;
    return NULL;
}

/* ---- Reading ----------------------------------------------------------------------------------------------------- */

gzFile gzip_open_input(const char *path)
{
    gzFile file;
    do {
        errno = 0;
        file = gzopen(path, "rb");
    } while (file == NULL && errno == EINTR);
    return file;
}

int gzip_read(gzFile *file, const char *path, void *out, unsigned bytes)
{
    for (;;) {
        int code;
        const z_off_t at = gztell(*file);
        errno = 0;
        const int got = gzread(*file, out, bytes);
        const bool interrupted = errno == EINTR && (gzerror(*file, &code), code == Z_ERRNO);
        gzFile again = interrupted ? gzip_open_input(path) : NULL;
        if (again == NULL)
            return got;
        gzclose(*file);
        *file = again;
        if (gzseek(again, at, SEEK_SET) < 0)
            return -1;
    }
}

const char *gzip_trouble(gzFile file)
{
    int code;
    const char *reason = gzerror(file, &code);
    if (code == Z_OK || code == Z_STREAM_END)
        return NULL;
    if (code == Z_BUF_ERROR)
        return "the gzip data is cut short; download or create the file again";
    if (code == Z_DATA_ERROR)
        return "the gzip data is damaged; download or create the file again";
    return code == Z_ERRNO ? strerror(errno) : reason;
}

bool gzip_is_bomb(gzFile file)
{
    const z_off_t unpacked = gztell(file), packed = gzoffset(file);
    return unpacked > GZIP_BYTES_ALWAYS && unpacked / GZIP_RATIO_MAX > packed && !gzdirect(file);
}
