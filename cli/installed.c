#include "installed.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Installed, and in the source tree, from the program's folder. */
static const char *const config_places[] = {"../share/engine/configs", "../configs"};
static const char *const document_places[] = {"../share/doc/engine", ".."};

enum { PLACES = 2 };

/* Folders of configurations below those places. */
static const char *const folders[] = {"", "bench/"};

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

/* The first of the places that holds `below`. */
static bool find_below(const char *const places[PLACES], const char *below, char path[SHARED_PATH])
{
    for (int i = 0; i < PLACES; i++) {
        if (!beside_program(places[i], path))
            return false;
        const size_t length = strlen(path);
        snprintf(path + length, SHARED_PATH - length, "/%s", below);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

bool shared_config(const char *name, char path[SHARED_PATH])
{
    const char *below = strncmp(name, "configs/", 8) == 0 ? name + 8 : name;
    return *below != '/' && *below != '.' && *below != '\0' && find_below(config_places, below, path);
}

bool shared_page(const char *below, char path[SHARED_PATH])
{
    char found[SHARED_PATH];
    return find_below(document_places, below, found) && realpath(found, path);
}

bool shared_documents(char path[SHARED_PATH])
{
    if (!shared_page("docs/configuration.md", path))
        return false;
    *strrchr(path, '/') = '\0';
    return true;
}

/* ---- Names -------------------------------------------------------------------------------------------------- */

static int is_config(const struct dirent *entry)
{
    const size_t length = strlen(entry->d_name);
    return length > 4 && strcmp(entry->d_name + length - 4, ".ini") == 0;
}

struct names {
    char *at[256];
    uint32_t count;
};

static void collect(const char *folder, struct names *names)
{
    char path[SHARED_PATH];
    struct dirent **entries;
    const int count = find_below(config_places, folder, path) ? scandir(path, &entries, is_config, alphasort) : -1;
    for (int i = 0; i < count; i++) {
        const uint32_t room = sizeof names->at / sizeof names->at[0];
        if (names->count < room && asprintf(&names->at[names->count], "%s%s", folder, entries[i]->d_name) >= 0)
            names->count++;
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
}

const char *shared_config_at(const void *list, uint32_t index)
{
    static struct names names;
    static bool collected;
    (void) list;
    for (size_t i = 0; !collected && i < sizeof folders / sizeof folders[0]; i++)
        collect(folders[i], &names);
    collected = true;
    return index < names.count ? names.at[index] : NULL;
}
