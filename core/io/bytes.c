#include "io/bytes.h"

#include <errno.h>
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
