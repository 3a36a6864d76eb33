#include "run/earlier.h"
#include "io/io.h"
#include "run/folder.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same_file(const struct stat *file, const char *path)
{
    struct stat other;
    return path && *path && stat(path, &other) == 0 && other.st_dev == file->st_dev && other.st_ino == file->st_ino;
}

static bool is_input(const struct plan *plan, const struct stat *file)
{
    bool found = is_same_file(file, plan->settings.file);
    for (uint32_t i = 0; i < plan->plugin->about.fields.count; i++)
        found = found || is_same_file(file, plan->sources[i].path);
    return found;
}

static void remove_file(const struct plan *plan, const char *name)
{
    char path[SETTINGS_PATH_MAX + 320];
    struct stat about;
    snprintf(path, sizeof path, "%s/%s", plan->settings.output, name);
    if (stat(path, &about) != 0 || !is_input(plan, &about))
        unlink(path);
}

/* Is it <field>-<step, 10 digits or more>.<format>? */
static bool is_of_step(const char *name)
{
    const char *dash = strrchr(name, '-');
    const size_t digits = dash ? strspn(dash + 1, "0123456789") : 0;
    if (digits < 10 || dash == name || dash[1 + digits] != '.')
        return false;
    const struct io_format *format = io_format_named(dash + 1 + digits + 1);
    return format && format->write;
}

static int remove_of_step(void *context, const char *name)
{
    if (is_of_step(name))
        remove_file(context, name);
    return 0;
}

/* Removes the files that the summary lists, in this folder: it may have been moved. */
static void remove_listed(const struct plan *plan)
{
    const char *folder = plan->settings.output;
    char path[SETTINGS_PATH_MAX + 32];
    struct json_object *outputs;
    snprintf(path, sizeof path, "%s/%s", folder, FOLDER_SUMMARY);
    struct json_object *summary = folder_has(folder, FOLDER_SUMMARY) ? json_object_from_file(path) : NULL;
    const bool listed =
        json_object_object_get_ex(summary, "outputs", &outputs) && json_object_is_type(outputs, json_type_array);
    for (size_t i = 0; listed && i < json_object_array_length(outputs); i++) {
        const char *file = json_object_get_string(json_object_array_get_idx(outputs, i));
        const char *slash = file ? strrchr(file, '/') : NULL;
        if (slash)
            remove_file(plan, slash + 1);
    }
    json_object_put(summary);
}

void earlier_remove(const struct plan *plan)
{
    if (!folder_has(plan->settings.output, FOLDER_CONFIG))
        return;
    remove_listed(plan);
    folder_visit(plan->settings.output, remove_of_step, (void *) (uintptr_t) plan);
}
