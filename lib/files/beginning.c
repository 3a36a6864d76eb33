#include "files/beginning.h"
#include "base/nearest.h"
#include "files/bytes.h"
#include "files/unpacked.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int io_check_is_file(const char *path, struct engine_error *error)
{
    struct stat info;
    char hint[128];
    if (TEMP_FAILURE_RETRY(stat(path, &info)) != 0) {
        const char *why = strerror(errno);
        return error_set(error, ENGINE_STATUS_INPUT, "%s: %s%s", path, why,
                         errno == ENOENT ? nearest_file_hint(hint, path) : "");
    }
    if (S_ISDIR(info.st_mode))
        return error_set(error, ENGINE_STATUS_INPUT, "%s: is a folder; expected a file", path);
    if (!S_ISREG(info.st_mode))
        return error_set(error, ENGINE_STATUS_INPUT, "%s: is a device, pipe or socket; expected a regular file", path);
    if (info.st_size == 0)
        return error_set(error, ENGINE_STATUS_INPUT, "%s: is an empty file", path);
    return 0;
}

static int read_beginning(const char *path, struct io_beginning *beginning, struct engine_error *error)
{
    struct stat info;
    const int file = (int) TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC));
    bool good = file >= 0 && TEMP_FAILURE_RETRY(fstat(file, &info)) == 0;
    if (good) {
        beginning->size = (uint64_t) info.st_size;
        beginning->count = beginning->size < sizeof beginning->bytes ? beginning->size : sizeof beginning->bytes;
        good = bytes_read(file, beginning->bytes, beginning->count, 0);
    }
    const int why = errno;
    if (file >= 0)
        close(file);
    return good ? 0
                : error_set(error, ENGINE_STATUS_INPUT, "%s: %s", path,
                            why != 0 ? strerror(why) : "became shorter while it was read");
}

static int unpack_beginning(const char *path, struct io_beginning *beginning, struct engine_error *error)
{
    struct unpacked *unpacked;
    const char *trouble;
    if (unpacked_open(&unpacked, path, error) != 0)
        return error->status;
    beginning->unpacked_count = unpacked_next(unpacked, beginning->unpacked, sizeof beginning->unpacked, &trouble);
    beginning->gzip = unpacked_is_gzip(unpacked);
    beginning->zip = unpacked_is_zip(unpacked);
    snprintf(beginning->name, sizeof beginning->name, "%s", unpacked_path(unpacked));
    int status = 0;
    if (beginning->unpacked_count == 0 && trouble != NULL)
        status = error_set(error, ENGINE_STATUS_INPUT, "%s: %s", unpacked_path(unpacked), trouble);
    unpacked_close(unpacked);
    return status;
}

int io_read_beginning(const char *path, struct io_beginning *beginning, struct engine_error *error)
{
    *beginning = (struct io_beginning){.count = 0};
    if (io_check_is_file(path, error) != 0 || read_beginning(path, beginning, error) != 0)
        return error->status;
    unpack_beginning(path, beginning, &beginning->trouble);
    return 0;
}
