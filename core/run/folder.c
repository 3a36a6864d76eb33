#include "run/folder.h"
#include "base/nearest.h"
#include "plan/settings.h"
#include "run/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = SETTINGS_PATH_MAX + 320 }; /* bytes of a path in the folder */

int folder_make(const char *folder, struct engine_error *error)
{
    char path[SETTINGS_PATH_MAX];
    snprintf(path, sizeof path, "%s", folder);
    for (char *slash = path + 1;; slash++) {
        slash = strchr(slash, '/');
        if (slash)
            *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return error_set(error, ENGINE_STATUS_OUTPUT,
                             "%s: cannot make this folder: %s; [run] output can name another folder", path,
                             strerror(errno));
        if (!slash)
            return 0;
        *slash = '/';
    }
}

/* ---- Its entries -------------------------------------------------------------------------------------------- */

static int visit_entries(DIR *entries, int (*visit)(void *context, const char *name), void *context)
{
    int status = 0;
    for (struct dirent *entry; status == 0 && (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = visit(context, entry->d_name);
    return status;
}

int folder_visit(const char *folder, int (*visit)(void *context, const char *name), void *context)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return 0;
    const int status = visit_entries(entries, visit, context);
    closedir(entries);
    return status;
}

static int is_more_than_lock(void *context, const char *name)
{
    (void) context;
    return strcmp(name, LOCK_NAME) != 0;
}

int folder_check_empty(const char *folder, struct engine_error *error)
{
    DIR *entries = opendir(folder);
    if (!entries)
        return error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot open this output folder: %s", folder,
                         strerror(errno));
    const int found = visit_entries(entries, is_more_than_lock, NULL);
    closedir(entries);
    if (!found)
        return 0;
    error_set(error, ENGINE_STATUS_OUTPUT,
              "%s: already holds files; name another folder in [run] output, or use --force to replace them", folder);
    const size_t length = strlen(error->text);
    if (folder_has(folder, FOLDER_CONFIG))
        snprintf(error->text + length, sizeof error->text - length, "; `engine resume` continues the run in it");
    return error->status;
}

bool folder_has(const char *folder, const char *name)
{
    char path[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

int folder_check_run(const char *folder, int status, struct engine_error *error)
{
    char hint[128];
    if (folder_has(folder, FOLDER_CONFIG))
        return 0;
    if (access(folder, F_OK) != 0 && errno == ENOENT)
        return error_set(error, status, "%s: there is no such folder%s", folder, nearest_file_hint(hint, folder));
    return error_set(error, status,
                     "%s: holds no run: there is no " FOLDER_CONFIG " in it; give the output folder of a run", folder);
}

/* Removes a file that io_write or folder_write was writing: .tmp.<process>.<name>. */
static int remove_temporary(void *context, const char *name)
{
    char path[PATH];
    const size_t digits = strncmp(name, ".tmp.", 5) == 0 ? strspn(name + 5, "0123456789") : 0;
    if (digits == 0 || name[5 + digits] != '.')
        return 0;
    snprintf(path, sizeof path, "%s/%s", (const char *) context, name);
    unlink(path);
    return 0;
}

void folder_clean(const char *folder)
{
    folder_visit(folder, remove_temporary, (void *) (uintptr_t) folder);
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

int folder_sync(const char *path, struct engine_error *error)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT
                   ? 0
                   : error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot be opened again: %s", path, strerror(errno));
    /* Some file systems cannot synchronise (EINVAL). They keep nothing on a disk. */
    const int status = fsync(file) == 0 || errno == EINVAL
                           ? 0
                           : error_set(error, ENGINE_STATUS_OUTPUT, "%s: cannot write: %s", path, strerror(errno));
    close(file);
    return status;
}

/* Writes a text to a file and synchronises it to disk. Returns 0 or errno. */
static int write_new(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return errno;
    const bool good = fputs(text, file) >= 0 && fflush(file) == 0 && (fsync(fileno(file)) == 0 || errno == EINVAL);
    const int why = good ? 0 : errno;
    return fclose(file) == 0 || why ? why : errno;
}

int folder_write(const char *folder, const char *name, const char *text, struct engine_error *error)
{
    char path[PATH], temporary[PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    snprintf(temporary, sizeof temporary, "%s/.tmp.%ld.%s", folder, (long) getpid(), name);
    const int why = write_new(temporary, text);
    if (why == 0 && rename(temporary, path) == 0)
        return folder_sync(folder, error);
    error_set(error, ENGINE_STATUS_OUTPUT, "%s: %s: %s", path, why ? "cannot write" : "cannot be put in place",
              strerror(why ? why : errno));
    unlink(temporary);
    return error->status;
}
