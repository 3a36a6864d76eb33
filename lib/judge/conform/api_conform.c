/* engine_conform: finds a plugin by its file or its name, and checks every promise of the interface. */
#include "base/numeric.h"
#include "judge/conform/apart.h"
#include "judge/conform/conform.h"
#include "judge/conform/formats.h"
#include "judge/resident.h"
#include "judge/trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FOLDER = 4096, NAME = 256, USUAL_SECONDS = 120 };

/* Cuts "folder/name.so" into folder and name. Returns false if the text is the name of a plugin and not a path. */
static bool split_path(const char *path, char folder[FOLDER], char name[NAME])
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    const size_t length = strlen(file);
    const bool has_ending = length > 3 && strcmp(file + length - 3, ".so") == 0;
    snprintf(folder, FOLDER, "%.*s", slash ? slash == path ? 1 : (int) (slash - path) : 1, slash ? path : ".");
    snprintf(name, NAME, "%.*s", (int) length - (has_ending ? 3 : 0), file);
    return slash || has_ending;
}

/* Opens the context of the suite. It searches `folder` first, unless it is NULL, and then the folders of the caller's
 * hooks. */
static int open_context(struct test *test, const char *folder, struct engine_error *error)
{
    const struct engine_hooks *caller = &test->caller->hooks;
    const char **folders = calloc(caller->plugin_folder_count + 1u, sizeof *folders);
    if (!folders)
        return error_memory(error, caller->plugin_folder_count * sizeof *folders, "folders of plugins");
    struct engine_hooks hooks = {
        .size = sizeof hooks, .plugin_folders = folders, .plugin_path = caller->plugin_path, .words = caller->words};
    if (folder)
        folders[hooks.plugin_folder_count++] = folder;
    for (uint32_t i = 0; i < caller->plugin_folder_count; i++)
        folders[hooks.plugin_folder_count++] = caller->plugin_folders[i];
    apart_hooks(test, &hooks);
    const int status = engine_open(&hooks, &test->context, error);
    free(folders);
    return status;
}

/* Opens a context that finds the plugin by its file or its name. */
static int find_plugin(struct test *test, const char *path, char name[NAME], struct engine_error *error)
{
    char folder[FOLDER];
    const bool is_path = split_path(path, folder, name);
    if (is_path) {
        char file[FOLDER + NAME + 8];
        snprintf(file, sizeof file, "%s/%s.so", folder, name);
        if (access(file, R_OK) != 0)
            return error_set(error, ENGINE_STATUS_PLUGIN, "%s: %s, expected the file of a plugin", file,
                             strerror(errno));
    }
    return open_context(test, is_path ? folder : NULL, error);
}

/* Is it the name of a format of a library, or where files are drawn of any format? The engine's own come first in the
 * list. */
static bool is_format_name(const struct test *test, bool draws)
{
    struct engine_format own = {.size = sizeof own};
    const char *found;
    uint32_t i = 0;
    while (!draws && engine_format_at(i, &own))
        i++;
    while ((found = engine_format_name(test->context, i++)))
        if (strcmp(found, test->name) == 0)
            return true;
    return false;
}

/* Is it the file or the name of a format, in place of a plugin? Then the name becomes that of the format. */
static bool is_format(const struct test *test, char name[NAME], bool draws)
{
    static const char ending[] = ".format";
    const char *found;
    const size_t length = strlen(name), end = sizeof ending - 1;
    if (length > end && strcmp(name + length - end, ending) == 0) {
        name[length - end] = '\0';
        return true;
    }
    for (uint32_t i = 0; (found = engine_plugin_name(test->context, i)); i++)
        if (strcmp(found, name) == 0)
            return false;
    return is_format_name(test, draws);
}

/* A format has no implementations and no configuration. */
static int examine_format(struct conform_request *request, struct engine_error *error)
{
    if (request->impl_count > 0 || request->test.config || request->test.setting_count > 0)
        return error_set(
            error, ENGINE_STATUS_USAGE,
            "%s is a file format, which is checked without a configuration, implementations and assignments",
            request->test.name);
    return conform_examine_format(request, error);
}

/* Checks the plugin. If there is no file of it, it fails the first property, "loads". */
static int examine(struct conform_request *request, const char *path, struct engine_error *error)
{
    char name[NAME];
    struct test *test = &request->test;
    int status = 0;
    test->name = name;
    if (find_plugin(test, path, name, error) != 0)
        request->report(request->user,
                        &(struct engine_property){
                            .plugin = name, .property = "loads", .outcome = ENGINE_BROKEN, .reason = error->text});
    else
        status = (is_format(test, name, request->draws > 0) ? examine_format : conform_examine)(request, error);
    engine_close(test->context);
    return status;
}

int engine_conform(struct engine_context *context, const char *plugin, const struct engine_trial *given,
                   const char *const *assignments, uint32_t count,
                   void (*report)(void *user, const struct engine_property *property), void *user,
                   struct engine_error *error)
{
    API_NUMBERS;
    struct trial trial;
    trial_copy(&trial, given);
    int status = trial_read(&trial, context, error);
    if (status == 0 && trial.given.properties && trial.given.draws)
        status = error_set(error, ENGINE_STATUS_USAGE, "properties are not checked where configurations are drawn");
    if (status == 0) {
        const struct context caller = {.hooks = *engine_context_hooks(context)};
        struct conform_request request = {
            .test = {.caller = &caller,
                     .config = trial.given.config,
                     .settings = assignments,
                     .setting_count = count,
                     .most_memory = trial.given.memory ? trial.given.memory : resident_limit()},
            .position = trial.given.position != 0,
            .impls = trial.names.at,
            .impl_count = trial.names.count,
            .properties = trial.given.properties,
            .seconds = trial.given.seconds ? trial.given.seconds : USUAL_SECONDS,
            .draws = trial.given.draws,
            .seed = trial.given.seed,
            .sweeps = &trial.sweeps,
            .report = report,
            .user = user};
        status = examine(&request, plugin, error);
    }
    trial_release(&trial);
    return status;
}
