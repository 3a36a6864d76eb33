#include "run/lock.h"
#include "base/context.h"
#include "plan/settings.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

struct lock {
    int file;
    char path[SETTINGS_PATH_MAX + 16];
};

static int refuse(const char *folder, int file, struct engine_error *error)
{
    char owner[128] = "";
    const ssize_t got = pread(file, owner, sizeof owner - 1, 0);
    owner[got > 0 ? strcspn(owner, "\n") : 0] = '\0';
    return error_set(
        error, ENGINE_STATUS_OUTPUT,
        "%s: another run writes there%s%s; wait until it has ended, or name another folder in [run] output", folder,
        *owner ? ": " : "", owner);
}

/* Is the file that was locked still the one in the folder? Its last owner may have removed it meanwhile. */
static bool is_current(const struct lock *lock)
{
    struct stat held, there;
    return fstat(lock->file, &held) == 0 && stat(lock->path, &there) == 0 && held.st_dev == there.st_dev &&
           held.st_ino == there.st_ino;
}

/* Writes the owner into the file, for people. An error does not matter. */
static void sign(const struct lock *lock)
{
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    if (ftruncate(lock->file, 0) == 0)
        dprintf(lock->file, "process %ld on %s\n", (long) getpid(), host);
}

/* Locks the file that is there now. *taken is false where its last owner removed it meanwhile. */
static int try(const struct context *context, struct lock *lock, const char *folder, bool *taken,
               struct engine_error *error)
{
    *taken = false;
    lock->file = open(lock->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (lock->file < 0)
        return errno == ENOTDIR
                   ? error_set(error, ENGINE_STATUS_OUTPUT, "%s: is a file, expected a folder for the output", folder)
                   : error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot make this file: %s", lock->path,
                               strerror(errno));
    if (flock(lock->file, LOCK_EX | LOCK_NB) == 0) {
        *taken = is_current(lock);
        return 0;
    }
    if (errno == EWOULDBLOCK)
        return refuse(folder, lock->file, error);
    *taken = true; /* the file system has no locks */
    context_message(context, ENGINE_LOG_WARNING, "%s: cannot be locked (%s); make sure that no other run writes there",
                    folder, strerror(errno));
    return 0;
}

int lock_take(const struct context *context, const char *folder, struct lock **out, struct engine_error *error)
{
    struct lock *lock = calloc(1, sizeof *lock);
    *out = NULL;
    if (!lock)
        return error_memory(error, sizeof *lock, "a lock");
    lock->file = -1;
    snprintf(lock->path, sizeof lock->path, "%s/" LOCK_NAME, folder);
    bool taken = false;
    int status = 0;
    while (status == 0 && !taken) {
        status = try(context, lock, folder, &taken, error);
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
    if (!lock)
        return;
    unlink(
        lock->path); /* before the lock is released: a process that opened this file finds it gone, and tries again */
    close(lock->file);
    free(lock);
}
