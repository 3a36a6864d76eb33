/* engine_conform: finds a plugin by its file or its name, and checks every promise of the interface. */
#include "judge/conform/conform.h"
#include "api/trial.h"
#include "base/nearest.h"
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
                                           .plugin_path = hooks->plugin_path};
    return devices_open(context, error) != 0 ? error->status : registry_open(context, registry, error);
}

static const char *impl_at(const void *list, uint32_t index)
{
    const struct engine_impl_array *impls = list;
    return index < impls->count ? impls->at[index].name : NULL;
}

static int check_names(const struct plugin *plugin, const struct contender_names *names, struct engine_error *error)
{
    char hint[128];
    for (uint32_t i = 0; i < names->count; i++)
        if (!plugin_impl(plugin, names->at[i]))
            return error_set(
                error, ENGINE_STATUS_USAGE, "--impl: %s has no implementation '%s'%s; `engine list` shows the names",
                plugin->about.name, names->at[i], nearest_hint(hint, names->at[i], impl_at, &plugin->about.impls));
    return 0;
}

/* Finds the plugin by its file or its name. */
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
    if (open_registry(&request->context, hooks, is_path ? folder : NULL, folders, &request->registry, error) != 0)
        return error->status;
    return registry_find(request->registry, name, &request->plugin, error);
}

/* Checks the plugin. If it does not load, it fails the first property, "loads". */
static int examine(struct conform_request *request, const struct engine_hooks *hooks, const char *path,
                   const struct contender_names *names, struct engine_error *error)
{
    char folder[FOLDER], name[NAME];
    const char **folders = NULL;
    int status = 0;
    if (find_plugin(request, hooks, path, folder, name, &folders, error) != 0)
        request->report(request->user,
                        &(struct engine_property){
                            .plugin = name, .property = "loads", .outcome = ENGINE_BROKEN, .reason = error->text});
    else if ((status = check_names(request->plugin, names, error)) == 0)
        conform_examine(request);
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
    int status = trial_read(&trial, error);
    if (status == 0) {
        struct conform_request request = {.impls = trial.names.at,
                                          .impl_count = trial.names.count,
                                          .settings = assignments,
                                          .setting_count = count,
                                          .position = trial.given.position != 0,
                                          .seconds = trial.given.seconds ? trial.given.seconds : USUAL_SECONDS,
                                          .report = report,
                                          .user = user};
        status = examine(&request, &context->context.hooks, plugin, &trial.names, error);
    }
    trial_release(&trial);
    return status;
}
