#include "moment.h"
#include "message.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MOST = 100 };

int moment_make(char path[MOMENT_PATH], struct engine_error *error)
{
    const char *place = getenv("TMPDIR");
    snprintf(path, MOMENT_PATH, "%s/engine-view-XXXXXX", place && *place ? place : "/tmp");
    return mkdtemp(path) ? 0
                         : fail(error, ENGINE_STATUS_OUTPUT, "%.200s: cannot be made: %s", path, strerror(errno));
}

void moment_remove(const char *path)
{
    if (*path == '\0')
        return;
    struct dirent *entry;
    DIR *folder = opendir(path);
    while (folder && (entry = readdir(folder)) != NULL)
        unlinkat(dirfd(folder), entry->d_name, 0);
    if (folder)
        closedir(folder);
    rmdir(path);
}

/* The last part of a name that a page gave, without what a shell or a folder could misread. Returns false if nothing
 * is left, or if it names a configuration or a library. */
static bool clean_name(const char *name, char out[NAME_MOST])
{
    const char *last = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
    size_t length = 0;
    for (; *last && length + 1 < NAME_MOST; last++)
        if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.", *last) &&
            (length > 0 || *last != '.'))
            out[length++] = *last;
    out[length] = '\0';
    const char *ending = strrchr(out, '.');
    return length > 0 && !(ending && (strcmp(ending, ".ini") == 0 || strcmp(ending, ".so") == 0));
}

static int write_file(const char *path, const uint8_t *bytes, size_t count, struct engine_error *error)
{
    FILE *file = fopen(path, "wbx");
    const bool written = file && fwrite(bytes, 1, count, file) == count;
    const bool closed = file && fclose(file) == 0;
    return written && closed ? 0 : fail(error, ENGINE_STATUS_OUTPUT, "the file cannot be kept: %s", strerror(errno));
}

int moment_keep(const char *name, const uint8_t *bytes, size_t count, char folder[MOMENT_PATH], char path[MOMENT_PATH],
                struct engine_error *error)
{
    char clean[NAME_MOST];
    if (!clean_name(*name ? name : "pattern.rle", clean))
        return fail(error, ENGINE_STATUS_USAGE,
                    "a view opens patterns, snapshots, particles and arrays, and no configuration or library");
    if (count == 0)
        return fail(error, ENGINE_STATUS_USAGE, "the file is empty");
    if (moment_make(folder, error) != 0)
        return error->status;
    if (snprintf(path, MOMENT_PATH, "%s/%s", folder, clean) >= MOMENT_PATH ||
        write_file(path, bytes, count, error) != 0) {
        moment_remove(folder);
        return error->status;
    }
    return 0;
}

int moment_leave_out(const char *folder, struct engine_error *error)
{
    const size_t length = strlen(folder) + 1;
    char *at;
    while ((at = strstr(error->text, folder)) != NULL)
        memmove(at, at + length, strlen(at + length) + 1);
    return error->status;
}

