#include "base/available.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { PATH_ROOM = 4096 };

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

/* Version 2, and the version 1 that older machines have: where groups of memory lie, by the name that /proc/self/cgroup
 * has for them, and what their files are called. */
static const struct hierarchy {
    const char *name, *folder, *most, *taken, *cached;
} hierarchies[] = {
    {"::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
};

static uint64_t group_number(const struct hierarchy *hierarchy, const char *group, const char *file, const char *key)
{
    char path[PATH_ROOM + 128];
    snprintf(path, sizeof path, "%s%s/%s", hierarchy->folder, group, file);
    return number_in(path, key);
}

/* What a group's limit leaves. Pages of files that nobody has used for long are given back before it is reached. */
static uint64_t room_of_group(const struct hierarchy *hierarchy, const char *group)
{
    const uint64_t most = group_number(hierarchy, group, hierarchy->most, "");
    const uint64_t taken = group_number(hierarchy, group, hierarchy->taken, "");
    const uint64_t cached = group_number(hierarchy, group, "memory.stat", hierarchy->cached);
    if (most == UINT64_MAX || taken == UINT64_MAX)
        return UINT64_MAX;
    const uint64_t used = cached < taken ? taken - cached : taken;
    return used < most ? most - used : 0;
}

/* The path of this process' group, from a line `number:name:path`. "" where there is none, which is the outermost. */
static void find_group(const struct hierarchy *hierarchy, char path[PATH_ROOM])
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[PATH_ROOM];
    *path = '\0';
    while (file && fgets(line, sizeof line, file)) {
        const char *name = strchr(line, ':');
        if (name && strncmp(name, hierarchy->name, strlen(hierarchy->name)) == 0)
            snprintf(path, PATH_ROOM, "%.*s", (int) strcspn(name + strlen(hierarchy->name), "\n"),
                     name + strlen(hierarchy->name));
    }
    if (file)
        fclose(file);
    if (strcmp(path, "/") == 0)
        *path = '\0';
}

/* The limits of the groups around it count as well. */
static uint64_t room_of_groups(const struct hierarchy *hierarchy)
{
    char path[PATH_ROOM];
    uint64_t room = UINT64_MAX;
    find_group(hierarchy, path);
    for (char *slash = path; slash;) {
        room = least(room, room_of_group(hierarchy, path));
        slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    }
    return room;
}

uint64_t available_memory(void)
{
    const uint64_t kilobytes = number_in("/proc/meminfo", "MemAvailable:");
    uint64_t room = kilobytes > UINT64_MAX / 1024 ? UINT64_MAX : 1024 * kilobytes;
    for (size_t i = 0; i < sizeof hierarchies / sizeof hierarchies[0]; i++)
        room = least(room, room_of_groups(&hierarchies[i]));
    return room;
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

uint64_t available_disk(const char *folder)
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
