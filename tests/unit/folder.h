/* A temporary folder for a test program. It is made before the tests and removed with its contents after them. */
#ifndef TESTS_UNIT_FOLDER_H
#define TESTS_UNIT_FOLDER_H

#include "files/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/engine_test_XXXXXX";

/* Of a file in it; until the next call. */
static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

/* The folder, opened once and until the program ends. */
static inline struct folder *opened_folder(void)
{
    static struct folder *opened;
    struct engine_error error;
    if (opened == NULL && folder_open(folder, &opened, &error) != 0)
        abort();
    return opened;
}

/* A folder in it that was removed after it was opened. The caller closes it. */
static inline struct folder *removed_folder(void)
{
    struct folder *opened;
    struct engine_error error;
    if (mkdir(path_of("removed"), 0777) != 0 || folder_open(path_of("removed"), &opened, &error) != 0 ||
        rmdir(path_of("removed")) != 0)
        abort();
    return opened;
}

static int make_folder(void **state)
{
    (void) state;
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    (void) state;
    DIR *open = opendir(folder);
    for (struct dirent *entry; open != NULL && (entry = readdir(open)) != NULL;)
        unlink(path_of(entry->d_name));
    if (open != NULL)
        closedir(open);
    return rmdir(folder);
}

#endif
