#include "io/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Opens a regular file, and finds its size. */
static int open_regular(const char *path, int *file, uint64_t *bytes, struct engine_error *error)
{
    struct stat about;
    *file = (int) TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (*file < 0 && errno == ELOOP)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: is a link, expected a file; put the file itself there", path);
    if (*file < 0 || TEMP_FAILURE_RETRY(fstat(*file, &about)) != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    if (!S_ISREG(about.st_mode))
        return error_set(error, ENGINE_STATUS_INPUT, "%s: is not a regular file; remove it", path);
    *bytes = (uint64_t) about.st_size;
    return 0;
}

int bytes_read_file(const char *path, uint64_t most, char **bytes, size_t *count, struct engine_error *error)
{
    int file;
    uint64_t size = 0;
    *bytes = NULL;
    int status = open_regular(path, &file, &size, error);
    if (status == 0 && size > most)
        status = error_set(error, ENGINE_STATUS_INPUT, "%s: has %llu bytes, expected at most %llu", path,
                           (unsigned long long) size, (unsigned long long) most);
    if (status == 0 && !(*bytes = malloc(size + 1)))
        status = error_memory(error, size, path);
    if (status == 0 && !bytes_read(file, *bytes, size, 0))
        status = error_set(error, ENGINE_STATUS_INPUT, "%s: cannot be read: %s", path,
                           errno ? strerror(errno) : "it became shorter while the engine read it");
    if (file >= 0)
        close(file);
    if (status != 0) {
        free(*bytes);
        *bytes = NULL;
        return status;
    }
    (*bytes)[size] = '\0';
    *count = size;
    return 0;
}
