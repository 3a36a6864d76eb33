#include "io/replace.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int io_check_can_replace(const char *path, struct engine_error *error)
{
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode))
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s: exists and is not a regular file; it is not replaced", path);
    return 0;
}

char *io_temporary_path(const char *path, struct engine_error *error)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    size_t size = strlen(path) + 32;
    char *temporary = malloc(size), prefix[32];
    const size_t length = strlen(name), added = (size_t) snprintf(prefix, sizeof prefix, ".tmp.%ld.", (long) getpid());
    /* A long name gives up its beginning, because a name has at most NAME_MAX bytes. */
    const size_t left_out = length <= NAME_MAX && length + added > NAME_MAX ? length + added - NAME_MAX : 0;
    if (temporary == NULL)
        error_memory(error, size, "a file name");
    else
        snprintf(temporary, size, "%.*s%s%s", (int) (name - path), path, prefix, name + left_out);
    return temporary;
}
