#include "files/bytes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CALL_MAX = 1 << 30 }; /* the system moves at most 2^31 bytes in a call */

bool bytes_read(int file, void *out, uint64_t bytes, uint64_t offset)
{
    for (char *at = out; bytes > 0;) {
        const ssize_t got = pread(file, at, bytes < CALL_MAX ? bytes : CALL_MAX, (off_t) offset);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            errno = got == 0 ? 0 : errno;
            return false;
        }
        at += got, offset += (uint64_t) got, bytes -= (uint64_t) got;
    }
    return true;
}

bool bytes_write(int file, const void *data, uint64_t bytes)
{
    for (const char *at = data; bytes > 0;) {
        const ssize_t put = write(file, at, bytes < CALL_MAX ? bytes : CALL_MAX);
        if (put < 0 && errno != EINTR)
            return false;
        at += put > 0 ? put : 0;
        bytes -= put > 0 ? (uint64_t) put : 0;
    }
    return true;
}

bool bytes_write_at(int file, const void *data, uint64_t bytes, uint64_t offset)
{
    for (const char *at = data; bytes > 0;) {
        const ssize_t put = pwrite(file, at, bytes < CALL_MAX ? bytes : CALL_MAX, (off_t) offset);
        if (put < 0 && errno != EINTR)
            return false;
        at += put > 0 ? put : 0, offset += put > 0 ? (uint64_t) put : 0;
        bytes -= put > 0 ? (uint64_t) put : 0;
    }
    return true;
}

static int descriptor_of(const void *cookie)
{
    return *(const int *) cookie;
}

/* A stream takes 0 bytes for an error, and keeps errno. */
static ssize_t stream_write(void *cookie, const char *data, size_t bytes)
{
    return bytes_write(descriptor_of(cookie), data, bytes) ? (ssize_t) bytes : 0;
}

static int stream_seek(void *cookie, off64_t *offset, int whence)
{
    const off64_t now = lseek64(descriptor_of(cookie), *offset, whence);
    *offset = now;
    return now < 0 ? -1 : 0;
}

static int stream_close(void *cookie)
{
    free(cookie);
    return 0;
}

FILE *bytes_stream(int file)
{
    static const cookie_io_functions_t functions = {.write = stream_write, .seek = stream_seek, .close = stream_close};
    int *cookie = malloc(sizeof *cookie);
    if (!cookie)
        return NULL;
    *cookie = file;
    FILE *stream = fopencookie(cookie, "w", functions);
    if (!stream)
        free(cookie);
    return stream;
}
