/* engine_conform: finds a plugin by its file or its name, and checks every promise of the interface. */
#include "api/handles.h"
#include "base/modules.h"
#include "files/formats.h"
#include "judge/conform/conform.h"
#include "judge/conform/formats.h"
#include "judge/trial.h"
#include "memory/devices.h"

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

/* Opens a registry that searches `folder` first, unless it is NULL, and then the folders of the caller's hooks. The
 * caller frees *folders after it has closed the registry. */
static int open_registry(struct context *context, const struct engine_hooks *hooks, const char *folder,
                         const char ***folders, struct registry **registry, struct engine_error *error)
{
    uint32_t count = 0;
    *folders = calloc(hooks->plugin_folder_count + 1u, sizeof **folders);
    if (!*folders)
        return error_memory(error, hooks->plugin_folder_count * sizeof **folders, "folders of plugins");
    if (folder)
        (*folders)[count++] = folder;
    for (uint32_t i = 0; i < hooks->plugin_folder_count; i++)
        (*folders)[count++] = hooks->plugin_folders[i];
    context->hooks = (struct engine_hooks){.size = sizeof context->hooks,
                                           .plugin_folder_count = count,
                                           .plugin_folders = *folders,
                                           .plugin_path = hooks->plugin_path,
                                           .user = hooks->user,
                                           .message = hooks->message,
                                           .words = hooks->words};
    return devices_open(context, context->modules->devices, error) != 0 ? error->status
                                                                        : registry_open(context, registry, error);
}

/* Opens a registry that finds the plugin by its file or its name. */
static int find_plugin(struct conform_request *request, const struct engine_hooks *hooks, const char *path,
                       char folder[FOLDER], char name[NAME], const char ***folders, struct engine_error *error)
{
    const bool is_path = split_path(path, folder, name);
    if (is_path) {
        char file[FOLDER + NAME + 8];
        snprintf(file, sizeof file, "%s/%s.so", folder, name);
        if (access(file, R_OK) != 0)
            return error_set(error, ENGINE_STATUS_PLUGIN, "%s: %s, expected the file of a plugin", file,
                             strerror(errno));
    }
    return open_registry(&request->context, hooks, is_path ? folder : NULL, folders, &request->registry, error);
}

/* Is it the file or the name of a format, in place of a plugin? Then the name becomes that of the format. */
static bool is_format(struct conform_request *request)
{
    static const char ending[] = ".format";
    const char *name = request->name, *found;
    const size_t length = strlen(name), end = sizeof ending - 1;
    if (length > end && strcmp(name + length - end, ending) == 0) {
        ((char *) (uintptr_t) name)[length - end] = '\0';
        return true;
    }
    for (uint32_t i = 0; (found = registry_name_at(request->registry, i)); i++)
        if (strcmp(found, name) == 0)
            return false;
    for (uint32_t i = 0; (found = registry_format_at(request->registry, i)); i++)
        if (strcmp(found, name) == 0)
            return true;
    return false;
}

/* A format has no implementations and no configuration. */
static int examine_format(struct conform_request *request, struct engine_error *error)
{
    if (request->impl_count > 0 || request->config || request->setting_count > 0)
        return error_set(
            error, ENGINE_STATUS_USAGE,
            "%s is a file format, which is checked without a configuration, implementations and assignments",
            request->name);
    if (formats_open(&request->context, request->registry, error) != 0)
        return error->status;
    return conform_examine_format(request, error);
}

/* Checks the plugin. If there is no file of it, it fails the first property, "loads". */
static int examine(struct conform_request *request, const struct engine_hooks *hooks, const char *path,
                   struct engine_error *error)
{
    char folder[FOLDER], name[NAME];
    const char **folders = NULL;
    int status = 0;
    request->name = name;
    if (find_plugin(request, hooks, path, folder, name, &folders, error) != 0)
        request->report(request->user,
                        &(struct engine_property){
                            .plugin = name, .property = "loads", .outcome = ENGINE_BROKEN, .reason = error->text});
    else
        status = is_format(request) ? examine_format(request, error) : conform_examine(request, error);
    formats_close(&request->context);
    registry_close(request->registry);
    devices_close(&request->context);
    free(folders);
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
    if (status == 0) {
        struct conform_request request = {.context.modules = context->context.modules,
                                          .impls = trial.names.at,
                                          .impl_count = trial.names.count,
                                          .config = trial.given.config ? trial.given.config->config : NULL,
                                          .settings = assignments,
                                          .setting_count = count,
                                          .position = trial.given.position != 0,
                                          .seconds = trial.given.seconds ? trial.given.seconds : USUAL_SECONDS,
                                          .report = report,
                                          .user = user};
        status = examine(&request, &context->context.hooks, plugin, error);
    }
    trial_release(&trial);
    return status;
}
