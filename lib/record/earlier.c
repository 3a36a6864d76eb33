#include "record/earlier.h"
#include "files/formats.h"
#include "files/run_folder.h"
#include "files/source_files.h"
#include "record/rerun.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same_file(const struct stat *file, const char *path)
{
    struct stat other;
    return path && *path && TEMP_FAILURE_RETRY(stat(path, &other)) == 0 && other.st_dev == file->st_dev &&
           other.st_ino == file->st_ino;
}

static bool is_input(const struct plan *plan, const struct stat *file)
{
    bool found = is_same_file(file, plan->settings.file);
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        found = found || is_same_file(file, source_files_of(plan)->of[i].path);
    return found;
}

struct removal {
    const struct plan *plan;
    const struct folder *folder;
    struct engine_error *error;
    int status;
};

static void remove_file(struct removal *removal, const char *name)
{
    struct stat about;
    const bool found = TEMP_FAILURE_RETRY(fstatat(removal->folder->file, name, &about, 0)) == 0;
    if (removal->status != 0)
        return;
    if (!found && errno != ENOENT)
        removal->status = error_set(removal->error, ENGINE_STATUS_OUTPUT, "%s/%s: cannot be looked up: %s",
                                    removal->folder->path, name, strerror(errno));
    else if (!found || !is_input(removal->plan, &about))
        removal->status = folder_remove(removal->folder, name, removal->error);
}

/* Is it <field>-<step, 10 digits or more>.<format>? */
static bool is_of_step(const struct context *context, const char *name)
{
    const char *dash = strrchr(name, '-');
    const size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
    if (digits < 10 || dash == name || dash[1 + digits] != '.')
        return false;
    const struct io_format *format = formats_named(context, dash + 1 + digits + 1);
    return format && io_is_written(format);
}

static bool remove_of_step(void *context, const char *name)
{
    struct removal *removal = context;
    if (is_of_step(removal->plan->context, name))
        remove_file(removal, name);
    return removal->status == 0;
}

/* Removes the files that the summary lists, in this folder: it may have been moved. */
static int remove_listed(struct removal *removal)
{
    struct json_object *summary, *outputs;
    if (run_folder_read_summary(removal->folder, &summary, removal->error) != 0)
        return removal->error->status;
    const bool listed =
        json_object_object_get_ex(summary, "outputs", &outputs) && json_object_is_type(outputs, json_type_array);
    for (size_t i = 0; listed && i < json_object_array_length(outputs); i++) {
        const char *file = json_object_get_string(json_object_array_get_idx(outputs, i));
        const char *slash = file ? strrchr(file, '/') : NULL;
        if (slash)
            remove_file(removal, slash + 1);
    }
    json_object_put(summary);
    return removal->status;
}

/* Removes the tables of an ensemble, which has no summary that lists them. The folders of its members stay. */
static int remove_ensemble(struct removal *removal)
{
    static const char *const names[] = {FOLDER_ENSEMBLE_SUMMARY, FOLDER_METRICS, FOLDER_MEMBERS, FOLDER_EXCHANGES,
                                        FOLDER_EXCHANGE_STATE};
    bool found;
    if (folder_has(removal->folder, FOLDER_MEMBERS, &found, removal->error) != 0)
        return removal->error->status;
    for (size_t i = 0; found && i < sizeof names / sizeof names[0]; i++)
        remove_file(removal, names[i]);
    return removal->status;
}

int earlier_remove(const struct plan *plan, const struct folder *folder, struct engine_error *error)
{
    /* What the summary of a run that was killed does not list. */
    static const char *const unlisted[] = {FOLDER_START, FOLDER_HASHES, FOLDER_UNIVERSES};
    struct removal removal = {plan, folder, error, 0};
    bool found;
    if (folder_has(folder, FOLDER_CONFIG, &found, error) != 0)
        return error->status;
    if (!found)
        return 0;
    for (size_t i = 0; i < sizeof unlisted / sizeof unlisted[0]; i++)
        remove_file(&removal, unlisted[i]);
    if (removal.status != 0 || remove_listed(&removal) != 0 || remove_ensemble(&removal) != 0 ||
        folder_visit(folder, remove_of_step, &removal, error) != 0)
        return error->status;
    return removal.status;
}
