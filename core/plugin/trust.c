#include "plugin/trust.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LINKS_MAX = 40 }; /* as Linux follows them */

/* A path being followed: what is resolved, without a '/' at its end ("" is the root), and what comes behind it. */
struct way {
    char done[PATH_MAX];
    char rest[2 * PATH_MAX];
    unsigned links;
};

/* Whoever may rename files in a folder may put another one there; the sticky bit keeps them from it. */
static int check_folder(const struct way *way, bool last, struct engine_error *error)
{
    struct stat about;
    const char *folder = *way->done ? way->done : "/";
    if (stat(folder, &about) != 0)
        return error_set(error, ENGINE_STATUS_PLUGIN, "its folder %s: %s", folder, strerror(errno));
    if (!(about.st_mode & S_IWOTH) || (about.st_mode & S_ISVTX))
        return 0;
    return error_set(error, ENGINE_STATUS_PLUGIN, "everyone can %s; use chmod o-w %s",
                     last ? "put files into its folder" : "replace a folder or link on the way to it", folder);
}

/* Takes the first name off the rest; false: there is none left. */
static bool take_name(struct way *way, char name[NAME_MAX + 1])
{
    const char *begin = way->rest + strspn(way->rest, "/");
    const size_t length = strcspn(begin, "/");
    snprintf(name, NAME_MAX + 1, "%.*s", (int) length, begin);
    memmove(way->rest, begin + length, strlen(begin + length) + 1);
    return length > 0;
}

static int follow_link(struct way *way, const char *link, struct engine_error *error)
{
    char target[PATH_MAX], rest[sizeof way->rest];
    const ssize_t length = readlink(link, target, sizeof target - 1);
    if (length < 0 || ++way->links > LINKS_MAX)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(length < 0 ? errno : ELOOP));
    target[length] = '\0';
    if (snprintf(rest, sizeof rest, "%s%s", target, way->rest) >= (int) sizeof rest)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(ENAMETOOLONG));
    memcpy(way->rest, rest, sizeof rest);
    if (*target == '/')
        *way->done = '\0';
    return 0;
}

/* One name further: up, through a link, or into what is there. */
static int go(struct way *way, const char *name, struct engine_error *error)
{
    char next[sizeof way->done];
    struct stat about;
    char *slash = strrchr(way->done, '/');
    if (strcmp(name, ".") == 0)
        return 0;
    if (strcmp(name, "..") == 0) {
        if (slash)
            *slash = '\0';
        return 0;
    }
    if (check_folder(way, way->rest[strspn(way->rest, "/")] == '\0', error) != 0)
        return error->status;
    if (snprintf(next, sizeof next, "%s/%s", way->done, name) >= (int) sizeof next)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(ENAMETOOLONG));
    if (lstat(next, &about) != 0)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(errno));
    if (S_ISLNK(about.st_mode))
        return follow_link(way, next, error);
    memcpy(way->done, next, sizeof next);
    return 0;
}

static int begin(struct way *way, const char *path, struct engine_error *error)
{
    *way = (struct way){.links = 0};
    if (*path != '/' && !getcwd(way->done, sizeof way->done))
        return error_set(error, ENGINE_STATUS_PLUGIN, "the working folder: %s", strerror(errno));
    if (strcmp(way->done, "/") == 0)
        *way->done = '\0';
    if (*path == '\0' || snprintf(way->rest, sizeof way->rest, "%s", path) >= (int) sizeof way->rest)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(*path ? ENAMETOOLONG : ENOENT));
    return 0;
}

static int check_file(const char *path, struct engine_error *error)
{
    struct stat about;
    if (stat(path, &about) != 0)
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s", strerror(errno));
    if (!S_ISREG(about.st_mode))
        return error_set(error, ENGINE_STATUS_PLUGIN, "%s, expected a plugin's shared object",
                         S_ISDIR(about.st_mode) ? "this is a folder" : "this is not a regular file");
    if (about.st_mode & S_IWOTH)
        return error_set(error, ENGINE_STATUS_PLUGIN, "everyone can write to it; use chmod o-w %s", path);
    return 0;
}

int trust_resolve(const char *path, char **resolved, struct engine_error *error)
{
    struct way way;
    char name[NAME_MAX + 1];
    *resolved = NULL;
    if (begin(&way, path, error) != 0)
        return error->status;
    while (take_name(&way, name))
        if (go(&way, name, error) != 0)
            return error->status;
    if (check_file(way.done, error) != 0)
        return error->status;
    *resolved = strdup(way.done);
    return *resolved ? 0 : error_memory(error, strlen(way.done), "a plugin's path");
}
