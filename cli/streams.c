#include "streams.h"
#include "message.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PIECE = 1 << 16, MOST = 1 << 30 };

static const char *folder_of_temporaries(void)
{
    const char *folder = getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

int streams_check(const char *path, const char *instead, int status, struct engine_error *error)
{
    struct stat about;
    return stat(path, &about) != 0 || S_ISREG(about.st_mode) || S_ISDIR(about.st_mode)
               ? 0
               : fail(error, status, "%s: is a device, pipe or socket; expected a regular file, or %s", path, instead);
}

static bool put_all(int to, const char *bytes, ssize_t count)
{
    while (count > 0) {
        const ssize_t written = TEMP_FAILURE_RETRY(write(to, bytes, (size_t) count));
        if (written < 0)
            return false;
        bytes += written;
        count -= written;
    }
    return true;
}

/* Returns whether everything was copied; errno 0: there is more than MOST. */
static bool copy(int from, int to, bool limited)
{
    char piece[PIECE];
    int64_t total = 0;
    ssize_t count;
    while ((count = TEMP_FAILURE_RETRY(read(from, piece, sizeof piece))) > 0) {
        total += count;
        errno = 0;
        if ((limited && total > MOST) || !put_all(to, piece, count))
            return false;
    }
    return count == 0;
}

int streams_take_input(char path[STREAM_PATH], struct engine_error *error)
{
    char name[4096];
    snprintf(name, sizeof name, "%s/engine-XXXXXX", folder_of_temporaries());
    const int file = mkostemp(name, O_CLOEXEC);
    if (file < 0)
        return fail(error, ENGINE_STATUS_INPUT, "standard input: %s: %s", name, strerror(errno));
    unlink(name);
    snprintf(path, STREAM_PATH, "/proc/self/fd/%d", file);
    if (copy(STDIN_FILENO, file, true))
        return 0;
    return errno != 0 ? fail(error, ENGINE_STATUS_INPUT, "standard input: cannot be copied to a file in %s: %s",
                             folder_of_temporaries(), strerror(errno))
                      : fail(error, ENGINE_STATUS_INPUT,
                             "standard input: has more than 1 GiB; save it as a file, and convert the file");
}

int streams_begin_output(char path[4096], struct engine_error *error)
{
    snprintf(path, 4096 - sizeof "/file", "%s/engine-XXXXXX", folder_of_temporaries());
    if (!mkdtemp(path))
        return fail(error, ENGINE_STATUS_OUTPUT, "standard output: %s: %s", path, strerror(errno));
    strcat(path, "/file");
    return 0;
}

int streams_end_output(const char *path)
{
    char folder[4096];
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    unlink(path);
    snprintf(folder, sizeof folder, "%s", path);
    rmdir(dirname(folder));
    return file;
}

/* Has the file no control characters but those of lines and tabs? */
static bool is_text(int file)
{
    char piece[PIECE];
    ssize_t count;
    bool text = true;
    for (off_t at = 0; text && (count = pread(file, piece, sizeof piece, at)) > 0; at += count)
        for (ssize_t i = 0; i < count; i++)
            text = text && ((unsigned char) piece[i] >= ' ' || strchr("\n\r\t", piece[i] ? piece[i] : 'x')) &&
                   piece[i] != 0x7f;
    return text;
}

int streams_put_output(int file, struct engine_error *error)
{
    int status = 0;
    if (isatty(STDOUT_FILENO) && !is_text(file))
        status = fail(error, ENGINE_STATUS_OUTPUT,
                      "standard output: is a terminal, and a file of this format is not text; send it to a file or a "
                      "program, as in `> FILE`");
    else if (!copy(file, STDOUT_FILENO, false))
        status = fail(error, ENGINE_STATUS_OUTPUT, "standard output: cannot write: %s", strerror(errno));
    close(file);
    return status;
}
