#include "installed.h"

#include <engine/engine.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* The folder of libraries, relative to that of the program; the Makefile sets it. */
#ifndef ENGINE_LIBDIR
#define ENGINE_LIBDIR "../lib"
#endif

/* Relative to the program's folder: where the files are installed, and where they are in the source tree. */
static const char *const config_places[] = {"../share/engine/configs", "../configs"};
static const char *const document_places[] = {"../share/doc/engine", ".."};

enum { PLACES = 2 };

/* The folders of configurations below config_places. */
static const char *const folders[] = {"", "bench/", "ladder/"};

/* Joins the folder of the program's own file and `below`. Returns false if the system does not say where that is. */
static bool beside_program(const char *below, char path[INSTALLED_PATH])
{
    char program[INSTALLED_PATH / 2];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    char *slash = strrchr(program, '/');
    if (!slash)
        return false;
    *slash = '\0';
    return snprintf(path, INSTALLED_PATH, "%s/%s", program, below) < INSTALLED_PATH;
}

/* Finds `below` in the first of the places that has it. */
static bool find_below(const char *const places[PLACES], const char *below, char path[INSTALLED_PATH])
{
    for (int i = 0; i < PLACES; i++) {
        if (!beside_program(places[i], path))
            return false;
        const size_t length = strlen(path);
        snprintf(path + length, INSTALLED_PATH - length, "/%s", below);
        if (access(path, R_OK) == 0)
            return true;
    }
    return false;
}

bool installed_beside(const char *below, char path[INSTALLED_PATH])
{
    return beside_program(below, path) && access(path, R_OK) == 0;
}

bool installed_part(const char *name, char path[INSTALLED_PATH])
{
    char below[256];
    snprintf(below, sizeof below, ENGINE_LIBDIR "/engine/%s", name);
    return installed_beside(name, path) || installed_beside(below, path);
}

bool installed_config(const char *name, char path[INSTALLED_PATH])
{
    const char *below = strncmp(name, "configs/", 8) == 0 ? name + 8 : name;
    return *below != '/' && *below != '.' && *below != '\0' && find_below(config_places, below, path);
}

bool installed_pattern(const char *name, char path[INSTALLED_PATH])
{
    char below[INSTALLED_PATH];
    snprintf(below, sizeof below, "patterns/%s", strncmp(name, "patterns/", 9) == 0 ? name + 9 : name);
    return installed_config(below, path);
}

const char *installed_pattern_hint(char hint[128], const char *name)
{
    char path[INSTALLED_PATH];
    *hint = '\0';
    if (strchr(name, '/') || !installed_config("patterns", path))
        return hint;
    const size_t length = strlen(path);
    snprintf(path + length, sizeof path - length, "/%s", name);
    return engine_nearest_file(hint, path);
}

bool installed_page(const char *below, char path[INSTALLED_PATH])
{
    char found[INSTALLED_PATH];
    return find_below(document_places, below, found) && realpath(found, path);
}

bool installed_docs(char path[INSTALLED_PATH])
{
    if (!installed_page("docs/index.md", path))
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
    char path[INSTALLED_PATH];
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

const char *installed_config_at(const void *list, uint32_t index)
{
    static struct names names;
    static bool collected;
    (void) list;
    for (size_t i = 0; !collected && i < sizeof folders / sizeof folders[0]; i++)
        collect(folders[i], &names);
    collected = true;
    return index < names.count ? names.at[index] : NULL;
}
