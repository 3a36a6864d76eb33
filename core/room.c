#include "room.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { PATH_ROOM = 4096 };

static const char groups[] = "/sys/fs/cgroup";

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number behind `key` in a file of `key number` lines, or the file's only number for an empty key; UINT64_MAX where
 * there is none, or "max" stands there. */
static uint64_t number_in(const char *path, const char *key)
{
    FILE *file = fopen(path, "re");
    char line[256];
    const size_t length = strlen(key);
    uint64_t number = UINT64_MAX;
    while (file && number == UINT64_MAX && fgets(line, sizeof line, file)) {
        char *end;
        const char *digits = line + length + strspn(line + length, " ");
        if (strncmp(line, key, length) != 0 || *digits < '0' || *digits > '9')
            continue;
        number = strtoull(digits, &end, 10);
    }
    if (file)
        fclose(file);
    return number;
}

/* ---- Control groups ----------------------------------------------------------------------------------------- */

static uint64_t group_number(const char *group, const char *name, const char *key)
{
    char path[PATH_ROOM + 64];
    snprintf(path, sizeof path, "%s%s/%s", groups, group, name);
    return number_in(path, key);
}

/* What a group's limit leaves. Pages of files that nobody has used for long are given back before it is reached. */
static uint64_t room_of_group(const char *group)
{
    const uint64_t most = group_number(group, "memory.max", ""), taken = group_number(group, "memory.current", "");
    const uint64_t cached = group_number(group, "memory.stat", "inactive_file");
    if (most == UINT64_MAX || taken == UINT64_MAX)
        return UINT64_MAX;
    const uint64_t used = cached < taken ? taken - cached : taken;
    return used < most ? most - used : 0;
}

/* The path of this process' group, with no '/' at its end. */
static bool find_group(char path[PATH_ROOM])
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    bool found = false;
    while (file && !found && fgets(path, PATH_ROOM, file))
        found = strncmp(path, "0::/", 4) == 0;
    if (file)
        fclose(file);
    if (!found)
        return false;
    path[strcspn(path, "\n")] = '\0';
    memmove(path, path + 3, strlen(path + 3) + 1);
    if (strcmp(path, "/") == 0)
        *path = '\0';
    return true;
}

/* The limits of the groups around it count as well. */
static uint64_t room_of_groups(void)
{
    char path[PATH_ROOM];
    uint64_t room = UINT64_MAX;
    if (!find_group(path))
        return room;
    for (char *slash = path; slash;) {
        room = least(room, room_of_group(path));
        slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    }
    return room;
}

uint64_t room_memory(void)
{
    const uint64_t kilobytes = number_in("/proc/meminfo", "MemAvailable:");
    return least(kilobytes > UINT64_MAX / 1024 ? UINT64_MAX : 1024 * kilobytes, room_of_groups());
}

/* ---- Disks -------------------------------------------------------------------------------------------------- */

/* The folder above, in place; false: there is none. */
static bool go_up(char *path)
{
    char *slash = strrchr(path, '/');
    if (strcmp(path, "/") == 0 || strcmp(path, ".") == 0)
        return false;
    if (!slash)
        strcpy(path, ".");
    else
        slash[slash == path] = '\0';
    return true;
}

uint64_t room_disk(const char *folder)
{
    char path[PATH_ROOM];
    struct statvfs about;
    if (strlen(folder) >= sizeof path)
        return UINT64_MAX;
    strcpy(path, *folder ? folder : ".");
    while (statvfs(path, &about) != 0)
        if (errno != ENOENT || !go_up(path))
            return UINT64_MAX;
    return (uint64_t) about.f_bavail * about.f_frsize;
}
