#include "files/file_stream.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* The first reason counts, so errors of the stream need none. */
static ssize_t put(void *cookie, const char *bytes, size_t count)
{
    const struct engine_file *file = cookie;
    return file->write(file, bytes, count) == 0 ? (ssize_t) count : 0;
}

FILE *file_stream_open(const struct engine_file *file)
{
    const cookie_io_functions_t functions = {.write = put};
    FILE *stream = fopencookie((void *) (uintptr_t) file, "w", functions);
    if (stream == NULL)
        file->fail(file, ENGINE_NO_MEMORY, ENGINE_AT_FILE, 0, "cannot be written: %s", strerror(ENOMEM));
    return stream;
}

int file_stream_close(const struct engine_file *file, FILE *stream, int code)
{
    const bool lost = ferror(stream) != 0; /* fclose reports the last bytes alone */
    const bool failed = fclose(stream) != 0;
    if (code != 0 || !(lost || failed))
        return code;
    return ENGINE_FAIL_FILE(file, "cannot be written: %s", strerror(errno != 0 ? errno : EIO));
}
