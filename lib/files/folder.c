#include "files/folder.h"
#include "files/bytes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const struct folder *folder, const char *name, const char *what, struct engine_error *error)
{
    return error_set(error, ENGINE_STATUS_OUTPUT, "%s/%s: %s: %s", folder->path, name, what, strerror(errno));
}

/* ---- The folder ------------------------------------------------------------------------------------------------- */

/* Errors come without a path. */
static int open_folder(const char *path, struct folder **out, struct engine_error *error)
{
    struct folder *folder = calloc(1, sizeof *folder);
    if (!folder || !(folder->path = strdup(path))) {
        free(folder);
        return error_memory(error, sizeof *folder, "a folder");
    }
    folder->file = (int) TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder->file < 0) {
        error_set(error, ENGINE_STATUS_OUTPUT, "cannot be opened: %s", strerror(errno));
        folder_close(folder);
        return error->status;
    }
    *out = folder;
    return 0;
}

int folder_open(const char *path, struct folder **folder, struct engine_error *error)
{
    struct stat about;
    *folder = NULL;
    if (open_folder(path, folder, error) == 0)
        return 0;
    if (TEMP_FAILURE_RETRY(stat(path, &about)) == 0 && !S_ISDIR(about.st_mode))
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s: is a file, expected a folder", path);
    return error_prefix(error, "%s: this folder ", path);
}

int folder_open_around(const char *path, struct folder **folder, const char **name, struct engine_error *error)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t) (slash - path) : 0;
    *name = slash ? slash + 1 : path;
    *folder = NULL;
    char *around = slash ? strndup(path, length > 0 ? length : 1) : strdup(".");
    if (!around)
        return error_memory(error, length, "a folder");
    const int status = open_folder(around, folder, error);
    free(around);
    return status == 0 ? 0 : error_prefix(error, "%s: its folder ", path);
}

void folder_close(struct folder *folder)
{
    if (!folder)
        return;
    if (folder->file >= 0)
        close(folder->file);
    free(folder->path);
    free(folder);
}

static bool are_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool folder_is_at(const struct folder *folder, const char *path)
{
    struct stat held, there;
    return TEMP_FAILURE_RETRY(fstat(folder->file, &held)) == 0 && TEMP_FAILURE_RETRY(stat(path, &there)) == 0 &&
           are_same(&held, &there);
}

bool folder_is_in_place(const struct folder *folder)
{
    return folder_is_at(folder, folder->path);
}

static int visit_entries(DIR *entries, bool (*visit)(void *context, const char *name), void *context)
{
    bool more = true;
    while (more) {
        errno = 0;
        const struct dirent *entry = readdir(entries);
        if (!entry && errno == EINTR)
            continue;
        if (!entry)
            return errno;
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            more = visit(context, entry->d_name);
    }
    return 0;
}

int folder_visit(const struct folder *folder, bool (*visit)(void *context, const char *name), void *context,
                 struct engine_error *error)
{
    /* A descriptor of its own has a position of its own. */
    const int file = (int) TEMP_FAILURE_RETRY(openat(folder->file, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    DIR *entries = NULL;
    do
        entries = file >= 0 ? fdopendir(file) : NULL;
    while (file >= 0 && !entries && errno == EINTR);
    int code = entries ? 0 : errno;
    if (entries) {
        code = visit_entries(entries, visit, context);
        closedir(entries);
    } else if (file >= 0)
        close(file);
    return code == 0 ? 0
                     : error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot list the files of this folder: %s",
                                 folder->path, strerror(code));
}

int folder_sync(const struct folder *folder, struct engine_error *error)
{
    const int code = file_sync(folder->file);
    return code == 0 ? 0
                     : error_set(error, ENGINE_STATUS_OUTPUT, "%s: this folder cannot be synchronised to disk: %s",
                                 folder->path, strerror(code));
}

/* ---- Its files --------------------------------------------------------------------------------------------------- */

int folder_has(const struct folder *folder, const char *name, bool *found, struct engine_error *error)
{
    struct stat about;
    *found = TEMP_FAILURE_RETRY(fstatat(folder->file, name, &about, AT_SYMLINK_NOFOLLOW)) == 0;
    return *found || errno == ENOENT ? 0 : fail(folder, name, "cannot be looked up", error);
}

int folder_open_file(const struct folder *folder, const char *name, int flags, int *file, struct engine_error *error)
{
    struct stat about;
    *file = (int) TEMP_FAILURE_RETRY(
        openat(folder->file, name, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666));
    const bool linked = *file < 0 && errno == ELOOP;
    if (*file < 0 && !linked)
        return fail(folder, name, "cannot be opened", error);
    const bool known = linked || TEMP_FAILURE_RETRY(fstat(*file, &about)) == 0;
    if (known && !linked && S_ISREG(about.st_mode))
        return 0;
    if (!known)
        fail(folder, name, "cannot be looked up", error);
    if (*file >= 0)
        close(*file);
    *file = -1;
    return !known ? error->status
                  : error_set(error, ENGINE_STATUS_OUTPUT, "%s/%s: is %s; remove it", folder->path, name,
                              linked ? "a symbolic link, expected a regular file" : "not a regular file");
}

/* Reads an open file. *bytes may be set after an error. */
static int read_whole(int file, uint64_t most, char **bytes, size_t *count, struct engine_error *error)
{
    struct stat about;
    if (TEMP_FAILURE_RETRY(fstat(file, &about)) != 0)
        return error_set(error, ENGINE_STATUS_INPUT, "cannot be read: %s", strerror(errno));
    const uint64_t size = (uint64_t) about.st_size;
    if (size > most)
        return error_set(error, ENGINE_STATUS_INPUT, "has %llu bytes, expected at most %llu", (unsigned long long) size,
                         (unsigned long long) most);
    if (!(*bytes = malloc(size + 1)))
        return error_memory(error, size, "its bytes");
    if (!bytes_read(file, *bytes, size, 0))
        return error_set(error, ENGINE_STATUS_INPUT, "cannot be read: %s",
                         errno ? strerror(errno) : "it became shorter while the engine read it");
    (*bytes)[size] = '\0';
    *count = size;
    return 0;
}

int folder_read(const struct folder *folder, const char *name, uint64_t most, char **bytes, size_t *count,
                struct engine_error *error)
{
    int file;
    *bytes = NULL;
    if (folder_open_file(folder, name, O_RDONLY, &file, error) != 0)
        return error->status = ENGINE_STATUS_INPUT;
    const int status = read_whole(file, most, bytes, count, error);
    close(file);
    if (status == 0)
        return 0;
    free(*bytes);
    *bytes = NULL;
    return error_prefix(error, "%s/%s: ", folder->path, name);
}

int folder_check_file(const struct folder *folder, const char *name, int file, struct engine_error *error)
{
    struct stat held, there;
    if (TEMP_FAILURE_RETRY(fstat(file, &held)) != 0)
        return fail(folder, name, "cannot be looked up", error);
    if (TEMP_FAILURE_RETRY(fstatat(folder->file, name, &there, AT_SYMLINK_NOFOLLOW)) != 0)
        return errno == ENOENT ? error_set(error, ENGINE_STATUS_OUTPUT,
                                           "%s/%s: was removed while the run was writing it", folder->path, name)
                               : fail(folder, name, "cannot be looked up", error);
    return are_same(&held, &there)
               ? 0
               : error_set(error, ENGINE_STATUS_OUTPUT,
                           "%s/%s: was replaced by another file while the run was writing it", folder->path, name);
}

int folder_rename(const struct folder *folder, const char *name, const char *to, struct engine_error *error)
{
    if (TEMP_FAILURE_RETRY(renameat(folder->file, name, folder->file, to)) != 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s/%s: cannot be renamed to %s: %s", folder->path, name, to,
                         strerror(errno));
    return folder_sync(folder, error);
}

int folder_remove(const struct folder *folder, const char *name, struct engine_error *error)
{
    return TEMP_FAILURE_RETRY(unlinkat(folder->file, name, 0)) == 0 || errno == ENOENT
               ? 0
               : fail(folder, name, "cannot be removed", error);
}

int folder_sync_file(const struct folder *folder, const char *name, struct engine_error *error)
{
    int file;
    if (folder_open_file(folder, name, O_RDONLY, &file, error) != 0)
        return error->status;
    const int code = file_sync(file);
    close(file);
    errno = code;
    return code == 0 ? 0 : fail(folder, name, "cannot be synchronised to disk", error);
}

int file_sync(int file)
{
    return TEMP_FAILURE_RETRY(fsync(file)) == 0 || errno == EINVAL ? 0 : errno;
}
