#include "parts/available.h"
#include "cuda/device_cuda.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { PATH_SIZE = 4096 };

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* Returns the number after `key` in a file of lines `key number`, or the only number of a file for an empty key.
 * Returns UINT64_MAX where there is none, or where the file says "max". */
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

/* Version 2, and version 1 of older systems: the name of the hierarchy in /proc/self/cgroup, its folder, and the names
 * of the files and keys for the limit, the memory in use, and the page cache that can be freed. */
static const struct hierarchy {
    const char *name, *folder, *limit, *usage, *cached;
} hierarchies[] = {
    {"::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"},
};

static uint64_t group_number(const struct hierarchy *hierarchy, const char *group, const char *file, const char *key)
{
    char path[PATH_SIZE + 128];
    snprintf(path, sizeof path, "%s%s/%s", hierarchy->folder, group, file);
    return number_in(path, key);
}

/* Returns the bytes that the limit of a group leaves. The kernel frees inactive pages of files before the limit is
 * reached, so they do not count as used. */
static uint64_t left_in_group(const struct hierarchy *hierarchy, const char *group)
{
    const uint64_t limit = group_number(hierarchy, group, hierarchy->limit, "");
    const uint64_t usage = group_number(hierarchy, group, hierarchy->usage, "");
    const uint64_t cached = group_number(hierarchy, group, "memory.stat", hierarchy->cached);
    if (limit == UINT64_MAX || usage == UINT64_MAX)
        return UINT64_MAX;
    const uint64_t used = cached < usage ? usage - cached : usage;
    return used < limit ? limit - used : 0;
}

/* Finds the path of this process' group in a line `number:name:path`. "" is the outermost group. */
static void find_group(const struct hierarchy *hierarchy, char path[PATH_SIZE])
{
    FILE *file = fopen("/proc/self/cgroup", "re");
    char line[PATH_SIZE];
    *path = '\0';
    while (file && fgets(line, sizeof line, file)) {
        const char *name = strchr(line, ':');
        if (name && strncmp(name, hierarchy->name, strlen(hierarchy->name)) == 0)
            snprintf(path, PATH_SIZE, "%.*s", (int) strcspn(name + strlen(hierarchy->name), "\n"),
                     name + strlen(hierarchy->name));
    }
    if (file)
        fclose(file);
    if (strcmp(path, "/") == 0)
        *path = '\0';
}

/* The limits of the enclosing groups apply too. */
static uint64_t left_in_groups(const struct hierarchy *hierarchy)
{
    char path[PATH_SIZE];
    uint64_t left = UINT64_MAX;
    find_group(hierarchy, path);
    for (char *slash = path; slash;) {
        left = least(left, left_in_group(hierarchy, path));
        slash = strrchr(path, '/');
        if (slash)
            *slash = '\0';
    }
    return left;
}

uint64_t available_memory(void)
{
    const uint64_t kilobytes = number_in("/proc/meminfo", "MemAvailable:");
    uint64_t left = kilobytes > UINT64_MAX / 1024 ? UINT64_MAX : 1024 * kilobytes;
    for (size_t i = 0; i < sizeof hierarchies / sizeof hierarchies[0]; i++)
        left = least(left, left_in_groups(&hierarchies[i]));
    return left;
}

/* ---- Disks -------------------------------------------------------------------------------------------------- */

/* Changes the path to that of the parent folder. Returns false where there is none. */
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

uint64_t available_on(struct device *device)
{
    return device->memory == ENGINE_CUDA_MEMORY ? cuda_available(device) : available_memory();
}

uint64_t available_disk(const char *folder)
{
    char path[PATH_SIZE];
    struct statvfs about;
    if (strlen(folder) >= sizeof path)
        return UINT64_MAX;
    strcpy(path, *folder ? folder : ".");
    while (statvfs(path, &about) != 0)
        if (errno != ENOENT || !go_up(path))
            return UINT64_MAX;
    return (uint64_t) about.f_bavail * about.f_frsize;
}

/* ---- Threads ------------------------------------------------------------------------------------------------- */

static void *pass(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_unlock(gate);
    return NULL;
}

int available_threads(uint32_t count)
{
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *threads = calloc(count, sizeof *threads);
    uint32_t started = 1;
    int code = threads ? 0 : ENOMEM;
    pthread_mutex_lock(&gate);
    while (code == 0 && started < count && (code = pthread_create(&threads[started], NULL, pass, &gate)) == 0)
        started++;
    pthread_mutex_unlock(&gate);
    for (uint32_t i = 1; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return code;
}
