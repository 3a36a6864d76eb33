#include "plugin/plugin.h"
#include "plugin/descriptor.h"
#include "plugin/extension.h"
#include "plugin/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The name of the file without its ending, as the caller gave it. The name behind a symlink would be a surprise. */
static void stem_of(const char *path, char stem[256])
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".so") == 0)
        length -= 3;
    snprintf(stem, 256, "%.*s", (int) length, name);
}

static int load(struct plugin *plugin, const char *path, struct engine_error *error)
{
    char stem[256];
    struct object object;
    stem_of(path, stem);
    int status = object_open(path, "engine_plugin", "plugin", &object, error);
    plugin->path = object.path;
    plugin->handle = object.handle;
    if (status == 0)
        status = descriptor_check_abi(object.abi, object.bytes, error);
    if (status == 0)
        status = descriptor_copy(object.abi, &plugin->about, error);
    if (status == 0)
        status = descriptor_check(&plugin->about, stem, error);
    if (status == 0)
        status = extension_read(&plugin->about, error);
    return status;
}

/* ---- The interface ------------------------------------------------------------------------------------------ */

int plugin_load(const char *path, struct plugin **result, struct engine_error *error)
{
    *result = NULL;
    struct plugin *plugin = calloc(1, sizeof *plugin);
    if (!plugin)
        return error_memory(error, sizeof *plugin, "a plugin");
    int status = load(plugin, path, error);
    if (status == 0) {
        *result = plugin;
        return 0;
    }
    plugin_free(plugin);
    return error_prefix(error, "%s: ", path);
}

void plugin_free(struct plugin *plugin)
{
    if (!plugin)
        return;
    descriptor_release(&plugin->about);
    free(plugin->path);
    free(plugin);
}

const struct engine_impl *plugin_impl(const struct plugin *plugin, const char *name)
{
    for (uint32_t i = 0; i < plugin->about.impls.count; i++)
        if (strcmp(plugin->about.impls.at[i].name, name) == 0)
            return &plugin->about.impls.at[i];
    return NULL;
}

const struct engine_impl *plugin_reference(const struct plugin *plugin)
{
    for (uint32_t i = 0; i < plugin->about.impls.count; i++)
        if (plugin->about.impls.at[i].flags & ENGINE_REFERENCE)
            return &plugin->about.impls.at[i];
    return plugin->about.impls.at;
}

const char *plugin_impl_missing(const struct engine_impl *impl)
{
    if (impl->advance)
        return NULL;
    return impl->memory == ENGINE_CUDA_MEMORY ? "not compiled into this build, because there was no CUDA compiler"
                                              : "not compiled into this build";
}

bool plugin_param_decides_bits(const struct engine_impl *impl, const struct engine_param *param)
{
    if (impl->flags & ENGINE_EXACT || param->flags & ENGINE_PARAM_TUNING || param->type != ENGINE_PARAM_CHOICE)
        return false;
    for (const char *const *choice = param->choices; *choice; choice++)
        if (strcmp(*choice, "auto") == 0)
            return true;
    return false;
}

bool plugin_param_is_tuning(const struct plugin *plugin, const char *name)
{
    const struct engine_param_array *params = &plugin->about.params;
    for (uint32_t i = 0; i < params->count; i++)
        if (strcmp(params->at[i].name, name) == 0)
            return params->at[i].flags & ENGINE_PARAM_TUNING;
    return false;
}
