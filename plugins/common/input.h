/* Reads text files that a parameter names: tables, lists, rules. */
#ifndef COMMON_INPUT_H
#define COMMON_INPUT_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Checks and reads an open file. Returns the reason if that fails. A pipe or a device would make its reader wait, and a
 * sparse file may have any size. */
static inline const char *input_take(int file, size_t most, char **text, size_t *length)
{
    struct stat about;
    ssize_t got = 1;
    if (TEMP_FAILURE_RETRY(fstat(file, &about)) != 0)
        return strerror(errno);
    if (!S_ISREG(about.st_mode))
        return "it is not a regular file";
    if ((unsigned long long) about.st_size > most)
        return "the file is too large";
    if (!(*text = (char *) calloc((size_t) about.st_size + 1, 1)))
        return "there is no memory for the file";
    while (got > 0 && *length < (size_t) about.st_size) {
        got = TEMP_FAILURE_RETRY(read(file, *text + *length, (size_t) about.st_size - *length));
        *length += got > 0 ? (size_t) got : 0;
    }
    return got < 0                   ? strerror(errno)
           : strlen(*text) < *length ? "it is not a text file, because it has a zero byte"
                                     : NULL;
}

/* Reads a file of at most `most` bytes. Returns its text, with a zero behind it, which the caller frees; or NULL, and
 * sets *reason. */
static inline char *input_read(const char *path, size_t most, size_t *length, const char **reason)
{
    const int file = (int) TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
    char *text = NULL;
    *length = 0;
    *reason = file < 0 ? strerror(errno) : input_take(file, most, &text, length);
    if (file >= 0)
        close(file);
    if (!*reason)
        return text;
    free(text);
    return NULL;
}

#endif
