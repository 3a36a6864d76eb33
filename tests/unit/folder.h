/* A temporary folder for a test program. It is made before the tests and removed with its contents after them. */
#ifndef TESTS_UNIT_FOLDER_H
#define TESTS_UNIT_FOLDER_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/engine_test_XXXXXX";

/* Of a file in it; until the next call. */
static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
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
