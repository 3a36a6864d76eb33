#include "files/run_folder.h"
#include "base/nearest.h"
#include "files/json.h"
#include "files/replace.h"
#include "plan/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

/* Synchronises the name of a new folder to disk. */
static int sync_name(const char *path, struct engine_error *error)
{
    struct folder *around;
    const char *name;
    if (folder_open_around(path, &around, &name, error) != 0)
        return error->status;
    const int status = folder_sync(around, error);
    folder_close(around);
    return status;
}

static int make(const char *path, struct engine_error *error)
{
    if (TEMP_FAILURE_RETRY(mkdir(path, 0777)) == 0)
        return sync_name(path, error);
    return errno == EEXIST ? 0
                           : error_set(error, ENGINE_STATUS_OUTPUT,
                                       "%s: cannot make this folder: %s; [run] output can name another folder", path,
                                       strerror(errno));
}

int run_folder_make(const char *given, struct folder **folder, struct engine_error *error)
{
    char path[SETTINGS_PATH_MAX];
    snprintf(path, sizeof path, "%s", given);
    *folder = NULL;
    for (char *slash = path + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        if (make(path, error) != 0)
            return error->status;
        *slash = '/';
    }
    return make(path, error) != 0 ? error->status : folder_open(given, folder, error);
}

static int refuse_missing(const char *path, struct engine_error *error)
{
    char hint[128];
    return error_set(error, ENGINE_STATUS_INPUT, "%s: there is no such folder%s", path, nearest_file_hint(hint, path));
}

int run_folder_open(const char *path, struct folder **folder, struct engine_error *error)
{
    bool found = false;
    struct stat about;
    *folder = NULL;
    const bool there = TEMP_FAILURE_RETRY(stat(path, &about)) == 0;
    if (!there && errno == ENOENT)
        return refuse_missing(path, error);
    if (there && !S_ISDIR(about.st_mode))
        return error_set(error, ENGINE_STATUS_INPUT, "%s: is a file, expected the output folder of a run", path);
    if (folder_open(path, folder, error) != 0)
        return error->status;
    if (folder_has(*folder, FOLDER_CONFIG, &found, error) == 0 && !found)
        error_set(error, ENGINE_STATUS_INPUT,
                  "%s: holds no run: there is no " FOLDER_CONFIG " in it; give the output folder of a run", path);
    if (found)
        return 0;
    folder_close(*folder);
    *folder = NULL;
    return error->status;
}

/* ---- Its entries ------------------------------------------------------------------------------------------------ */

static bool is_lock(void *context, const char *name)
{
    bool *empty = context;
    *empty = strcmp(name, LOCK_NAME) == 0;
    return *empty;
}

int run_folder_check_empty(const struct folder *folder, const struct context *context, struct engine_error *error)
{
    char force[CONTEXT_WORDS], key[CONTEXT_WORDS], resume[CONTEXT_WORDS];
    const char *command = context_said(context, ENGINE_WORDS_RESUME, folder->path, resume);
    bool empty = true, resumable;
    if (folder_visit(folder, is_lock, &empty, error) != 0)
        return error->status;
    if (empty)
        return 0;
    if (folder_has(folder, FOLDER_CONFIG, &resumable, error) != 0)
        return error->status;
    return resumable ? error_set(error, ENGINE_STATUS_OUTPUT,
                                 "%s: holds the files of an earlier run; use %s to replace them, or %s=FOLDER to keep "
                                 "them%s%s%s",
                                 folder->path, context_words(context, ENGINE_WORDS_OPTION, "force", force),
                                 context_words(context, ENGINE_WORDS_KEY, "run.output", key), command ? "; `" : "",
                                 command ? command : "", command ? "` continues that run" : "")
                     : error_set(error, ENGINE_STATUS_OUTPUT,
                                 "%s: holds files, but none of an earlier run; use %s=FOLDER to name another folder, "
                                 "or %s to write beside these files",
                                 folder->path, context_words(context, ENGINE_WORDS_KEY, "run.output", key),
                                 context_words(context, ENGINE_WORDS_OPTION, "force", force));
}

struct cleaning {
    const struct folder *folder;
    struct engine_error *error;
    int status;
};

static bool remove_temporary(void *context, const char *name)
{
    struct cleaning *cleaning = context;
    if (replace_is_temporary(name))
        cleaning->status = folder_remove(cleaning->folder, name, cleaning->error);
    return cleaning->status == 0;
}

int run_folder_clean(const struct folder *folder, struct engine_error *error)
{
    struct cleaning cleaning = {folder, error, 0};
    const int status = folder_visit(folder, remove_temporary, &cleaning, error);
    return cleaning.status != 0 ? cleaning.status : status;
}

/* ---- The summary ------------------------------------------------------------------------------------------------ */

int run_folder_read_summary(const struct folder *folder, struct json_object **summary, struct engine_error *error)
{
    char *text;
    struct engine_error ignored;
    size_t length;
    bool found;
    *summary = NULL;
    if (folder_has(folder, FOLDER_SUMMARY, &found, error) != 0)
        return error->status;
    if (!found)
        return 0;
    if (folder_read(folder, FOLDER_SUMMARY, FOLDER_SUMMARY_MAX, &text, &length, error) != 0)
        return error->status;
    json_parse_object(text, length, summary, &ignored);
    free(text);
    return 0;
}
