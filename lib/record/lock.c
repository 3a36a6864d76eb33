#include "record/lock.h"
#include "base/context.h"
#include "files/run_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct lock {
    const struct context *context;
    const struct folder *folder;
    int file;
};

static int refuse(const struct lock *lock, struct engine_error *error)
{
    char owner[128] = "";
    const ssize_t got = TEMP_FAILURE_RETRY(pread(lock->file, owner, sizeof owner - 1, 0));
    owner[got > 0 ? strcspn(owner, "\n") : 0] = '\0';
    return error_set(
        error, ENGINE_STATUS_OUTPUT,
        "%s: another run writes there%s%s; wait until it has ended, or name another folder in [run] output",
        lock->folder->path, *owner ? ": " : "", owner);
}

/* Tells whether the file that was locked is still the one in the folder. Its last owner may have removed it meanwhile.
 * Refuses a file that has another name: it is not the engine's. */
static int check_current(const struct lock *lock, bool *current, struct engine_error *error)
{
    struct stat held, there;
    if (TEMP_FAILURE_RETRY(fstat(lock->file, &held)) != 0)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s/" LOCK_NAME ": cannot be looked up: %s", lock->folder->path,
                         strerror(errno));
    if (held.st_nlink > 1)
        return error_set(error, ENGINE_STATUS_OUTPUT,
                         "%s/" LOCK_NAME ": is a hard link to a file that has another name; remove this link",
                         lock->folder->path);
    const int status = (int) TEMP_FAILURE_RETRY(fstatat(lock->folder->file, LOCK_NAME, &there, AT_SYMLINK_NOFOLLOW));
    if (status != 0 && errno != ENOENT)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s/" LOCK_NAME ": cannot be looked up: %s", lock->folder->path,
                         strerror(errno));
    *current = status == 0 && held.st_dev == there.st_dev && held.st_ino == there.st_ino;
    return 0;
}

/* Writes the owner into the file, for people. An error does not matter. */
static void sign(const struct lock *lock)
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    if (TEMP_FAILURE_RETRY(ftruncate(lock->file, 0)) == 0)
        dprintf(lock->file, "process %ld on %s\n", (long) getpid(), host);
}

/* Locks the file that is there now. *taken is false where its last owner removed it meanwhile. */
static int try(const struct lock *lock, bool *taken, struct engine_error *error)
{
    if (TEMP_FAILURE_RETRY(flock(lock->file, LOCK_EX | LOCK_NB)) == 0)
        return check_current(lock, taken, error);
    if (errno == EWOULDBLOCK)
        return refuse(lock, error);
    context_message(lock->context, ENGINE_LOG_WARNING,
                    "%s: cannot be locked (%s); make sure that no other run writes there", lock->folder->path,
                    strerror(errno));
    return check_current(lock, taken, error);
}

int lock_take(const struct context *context, const struct folder *folder, struct lock **out, struct engine_error *error)
{
    struct lock *lock = calloc(1, sizeof *lock);
    *out = NULL;
    if (!lock)
        return error_memory(error, sizeof *lock, "a lock");
    *lock = (struct lock){context, folder, -1};
    bool taken = false;
    int status = 0;
    while (status == 0 && !taken) {
        status = folder_open_file(folder, LOCK_NAME, O_RDWR | O_CREAT, &lock->file, error);
        if (status == 0)
            status = try(lock, &taken, error);
        if (lock->file >= 0 && !taken)
            close(lock->file);
    }
    if (status != 0) {
        free(lock);
        return status;
    }
    sign(lock);
    *out = lock;
    return 0;
}

void lock_release(struct lock *lock)
{
    struct engine_error error;
    if (!lock)
        return;
    /* Before the lock is released: a process that opened this file finds it gone, and tries again. */
    if (folder_remove(lock->folder, LOCK_NAME, &error) != 0)
        context_message(lock->context, ENGINE_LOG_ERROR, "%s; it locks nobody out, and the next run there removes it",
                        error.text);
    close(lock->file);
    free(lock);
}
