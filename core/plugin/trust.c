#include "plugin/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* the limit of Linux */

/* A path that is being followed: the part that is resolved, without '/' at its end ("" is the root), and the rest. */
struct walk {
    char done[PATH_MAX];
    char rest[2 * PATH_MAX];
    unsigned links;
    bool shared; /* everyone can put files into the folder `done`, but each can replace only their own: a sticky bit */
};

/* ---- Owners ------------------------------------------------------------------------------------------------- */

static bool owns(uid_t user, const char *path)
{
    struct stat about;
    return TEMP_FAILURE_RETRY(stat(path, &about)) == 0 && about.st_uid == user;
}

/* Can this user replace the program itself? In a user namespace, the root folder may belong to a user without a
 * name. */
static bool is_trusted(uid_t user)
{
    return user == 0 || user == geteuid() || owns(user, "/proc/self/exe") || owns(user, "/");
}

/* An ordinary user who names a folder of another user trusts that user, as with programs. Root does not. */
static int check_owner(const struct walk *walk, const char *path, const struct stat *about, struct engine_error *error)
{
    if ((!walk->shared && geteuid() != 0) || is_trusted(about->st_uid))
        return 0;
    return error_set(error, ENGINE_STATUS_PLUGIN, "%s belongs to the user with number %u%s; %s", path,
                     (unsigned) about->st_uid, walk->shared ? ", in a folder that everyone can put files into" : "",
                     geteuid() == 0 ? "root loads only plugins of root and of the owner of the program; if you trust "
                                      "the file, use chown, or start the engine as that user"
                                    : "copy the file to a folder of your own if you trust it");
}

/* ---- The path ----------------------------------------------------------------------------------------------- */

/* Refuses a folder that everyone can write to, because they can replace the files in it. The sticky bit prevents
 * that. */
static int check_folder(struct walk *walk, bool last, struct engine_error *error)
{
    struct stat about;
    const char *folder = *walk->done ? walk->done : "/";
    if (TEMP_FAILURE_RETRY(stat(folder, &about)) != 0)
        return error_set(error, ENGINE_STATUS_PLUGIN, "its folder %s: %s", folder, strerror(errno));
    walk->shared = about.st_mode & S_IWOTH && about.st_mode & S_ISVTX;
    if (!(about.st_mode & S_IWOTH) || walk->shared)
        return 0;
    return error_set(error, ENGINE_STATUS_PLUGIN, "everyone can %s; use chmod o-w %s",
                     last ? "put files into its folder" : "replace a folder or link on the way to it", folder);
}

/* Takes the first name off the rest; false: nothing is left. */
static bool take_name(struct walk *walk, char name[NAME_MAX + 1])
{
    const char *begin = walk->rest + strspn(walk->rest, "/");
    const size_t length = strcspn(begin, "/");
    snprintf(name, NAME_MAX + 1, "%.*s", (int) length, begin);
    memmove(walk->rest, begin + length, strlen(begin + length) + 1);
    return length > 0;
}

static int follow_link(struct walk *walk, const char *link, struct engine_error *error)
{
    char target[PATH_MAX], rest[sizeof walk->rest];
    const ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0 || ++walk->links > LINKS_MAX)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(length < 0 ? errno : ELOOP));
    target[length] = '\0';
    if (snprintf(rest, sizeof rest, "%s%s", target, walk->rest) >= (int) sizeof rest)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(ENAMETOOLONG));
    memcpy(walk->rest, rest, sizeof rest);
    if (*target == '/')
        *walk->done = '\0';
    return 0;
}

/* Follows one name: up, through a symlink, or into a file or folder. */
static int follow(struct walk *walk, const char *name, struct engine_error *error)
{
    char next[sizeof walk->done];
    struct stat about;
    char *slash = strrchr(walk->done, '/');
    if (strcmp(name, ".") == 0)
        return 0;
    if (strcmp(name, "..") == 0) {
        if (slash)
            *slash = '\0';
        return 0;
    }
    if (check_folder(walk, walk->rest[strspn(walk->rest, "/")] == '\0', error) != 0)
        return error->status;
    if (snprintf(next, sizeof next, "%s/%s", walk->done, name) >= (int) sizeof next)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(ENAMETOOLONG));
    if (TEMP_FAILURE_RETRY(lstat(next, &about)) != 0)
        return walk->links ? error_set(error, ENGINE_STATUS_PLUGIN, "this is a link to %s: %s", next, strerror(errno))
                           : error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(errno));
    if (check_owner(walk, next, &about, error) != 0)
        return error->status;
    if (S_ISLNK(about.st_mode))
        return follow_link(walk, next, error);
    memcpy(walk->done, next, sizeof next);
    return 0;
}

static int begin(struct walk *walk, const char *path, struct engine_error *error)
{
    char folder[PATH_MAX] = "";
    *walk = (struct walk){.links = 0};
    if (*path != '/' && !getcwd(folder, sizeof folder))
        return error_set(error, ENGINE_STATUS_PLUGIN, "the working folder is not known: %s", strerror(errno));
    if (*path == '\0' || snprintf(walk->rest, sizeof walk->rest, "%s/%s", folder, path) >= (int) sizeof walk->rest)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(*path ? ENAMETOOLONG : ENOENT));
    return 0;
}

/* ---- The file ----------------------------------------------------------------------------------------------- */

static int check_file(const struct walk *walk, int file, struct engine_error *error)
{
    struct stat about;
    if (TEMP_FAILURE_RETRY(fstat(file, &about)) != 0)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(errno));
    if (!S_ISREG(about.st_mode))
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s, expected a plugin's shared object",
                         S_ISDIR(about.st_mode) ? "this is a folder" : "this is not a regular file");
    if (about.st_mode & S_IWOTH)
        return error_set(error, ENGINE_STATUS_PLUGIN, "everyone can write to it; use chmod o-w %s", walk->done);
    return check_owner(walk, walk->done, &about, error);
}

/* Opens the file at the end of the path. The checks of the file use the descriptor, so they concern this file even if
 * the path names another one by now. A pipe does not make the call wait. */
static int open_file(const struct walk *walk, int *file, struct engine_error *error)
{
    *file = (int) TEMP_FAILURE_RETRY(open(walk->done, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    if (*file < 0)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(errno));
    if (check_file(walk, *file, error) == 0)
        return 0;
    close(*file);
    *file = -1;
    return error->status;
}

int trust_open(const char *path, char **resolved, int *file, struct engine_error *error)
{
    struct walk walk;
    char name[NAME_MAX + 1];
    *resolved = NULL;
    *file = -1;
    if (begin(&walk, path, error) != 0)
        return error->status;
    while (take_name(&walk, name))
        if (follow(&walk, name, error) != 0)
            return error->status;
    if (!(*resolved = strdup(walk.done)))
        return error_memory(error, strlen(walk.done), "a plugin's path");
    return open_file(&walk, file, error);
}
