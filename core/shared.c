#include "shared.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Installed, and in the source tree, from the program's folder. */
static const char *const places[] = {"../share/engine/configs", "../configs"};

enum { PLACES = sizeof places / sizeof places[0] };

bool beside_program(const char *below, char path[SHARED_PATH])
{
    char program[SHARED_PATH / 2];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return snprintf(path, SHARED_PATH, "%s/%s", program, below) < SHARED_PATH;
}

bool shared_config(const char *name, char path[SHARED_PATH])
{
    for (int i = 0; i < PLACES && !strchr(name, '/'); i++) {
        if (!beside_program(places[i], path))
            return false;
        const size_t length = strlen(path);
        snprintf(path + length, SHARED_PATH - length, "/%s", name);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

static int is_config(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".ini") == 0;
}

const char *shared_config_at(const void *list, uint32_t index)
{
    static struct dirent **entries;
    static int count = -1;
    char folder[SHARED_PATH];
    (void) list;
    for (int i = 0; i < PLACES && count < 0; i++)
        if (beside_program(places[i], folder))
            count = scandir(folder, &entries, is_config, alphasort);
    return (int) index < count ? entries[index]->d_name : NULL;
}
