#include "files/replace.h"
#include "files/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const char beginning[] = ".tmp.";
enum { BEGINNING = sizeof beginning - 1, DIGITS = 16 };

static int check_can_replace(const struct folder *folder, const char *name, struct engine_error *error)
{
    struct stat about;
    if (TEMP_FAILURE_RETRY(fstatat(folder->file, name, &about, 0)) != 0)
        return errno == ENOENT ? 0 : error_set(error, ENGINE_STATUS_OUTPUT, "cannot be looked up: %s", strerror(errno));
    return S_ISREG(about.st_mode)
               ? 0
               : error_set(error, ENGINE_STATUS_OUTPUT, "exists and is not a regular file; it is not replaced");
}

/* Creates a file under a random name that nothing has. */
static int create(struct replacement *new)
{
    do {
        uint64_t number;
        if (TEMP_FAILURE_RETRY(getrandom(&number, sizeof number, 0)) != sizeof number)
            return -1;
        snprintf(new->temporary, sizeof new->temporary, "%s%0*llx", beginning, DIGITS, (unsigned long long) number);
        new->file = (int) TEMP_FAILURE_RETRY(
            openat(new->folder->file, new->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
    } while (new->file < 0 && errno == EEXIST);
    return new->file;
}

int replace_begin(const struct folder *folder, const char *name, struct replacement *new, struct engine_error *error)
{
    *new = (struct replacement){.folder = folder, .file = -1};
    if (check_can_replace(folder, name, error) != 0)
        return error->status;
    return create(new) >= 0 ? 0
                            : error_set(error, ENGINE_STATUS_OUTPUT, "cannot be created: %s",
                                        errno == ENOENT ? "its folder was removed" : strerror(errno));
}

static int put_in_place(const struct replacement *new, const char *name, struct engine_error *error)
{
    const int folder = new->folder->file;
    if (TEMP_FAILURE_RETRY(renameat(folder, new->temporary, folder, name)) != 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "cannot be renamed to its final name: %s", strerror(errno));
    return 0;
}

int replace_finish(struct replacement *new, const char *name, bool synced, int status, struct engine_error *error)
{
    int code = status == 0 && synced ? file_sync(new->file) : 0;
    if (code != 0)
        status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be synchronised to disk: %s", strerror(code));
    /* After EINTR the file is closed, and what it holds is not lost. */
    if (close(new->file) != 0 && errno != EINTR && status == 0)
        status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
    new->file = -1;
    if (status == 0)
        status = put_in_place(new, name, error);
    if (status != 0) {
        (void) TEMP_FAILURE_RETRY(unlinkat(new->folder->file, new->temporary, 0));
        return status;
    }
    code = synced ? file_sync(new->folder->file) : 0;
    return code == 0 ? 0
                     : error_set(error, ENGINE_STATUS_OUTPUT, "its folder cannot be synchronised to disk: %s",
                                 strerror(code));
}

int replace_text(const struct folder *folder, const char *name, const char *text, struct engine_error *error)
{
    struct replacement new;
    int status = replace_begin(folder, name, &new, error);
    if (status == 0) {
        if (!bytes_write(new.file, text, strlen(text)))
            status = error_set(error, ENGINE_STATUS_OUTPUT, "cannot be written: %s", strerror(errno));
        status = replace_finish(&new, name, true, status, error);
    }
    return status == 0 ? 0 : error_prefix(error, "%s/%s: ", folder->path, name);
}

bool replace_is_temporary(const char *name)
{
    if (strncmp(name, beginning, BEGINNING) != 0)
        return false;
    const char *rest = name + BEGINNING;
    if (strlen(rest) == DIGITS && strspn(rest, "0123456789abcdef") == DIGITS)
        return true;
    const size_t digits = strspn(rest, "0123456789"); /* .tmp.<process>.<name>, as version 0.1.0 has it */
    return digits > 0 && rest[digits] == '.';
}
