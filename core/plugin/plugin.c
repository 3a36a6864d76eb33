#include "plugin/plugin.h"
#include "config/config.h"
#include "config/keys.h"
#include "plugin/descriptor.h"
#include "plugin/extension.h"
#include "plugin/object.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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

static int load(struct plugin *plugin, const struct context *context, const char *path,
                const struct engine_plugin *about, struct engine_error *error)
{
    char stem[256];
    struct object object = {.path = NULL};
    stem_of(path, stem);
    const int status = about ? 0 : object_open(path, "engine_plugin", "plugin", &object, error);
    const struct engine_abi *abi = about ? &about->abi : object.abi;
    plugin->path = about ? strdup("") : object.path;
    plugin->handle = object.handle;
    if (status != 0 || !plugin->path)
        return status != 0 ? status : error_memory(error, sizeof *plugin, "a plugin");
    if (descriptor_check_abi(abi, about ? abi->struct_size : object.bytes, error) != 0 ||
        descriptor_copy(abi, &plugin->about, error) != 0 || descriptor_check(context, &plugin->about, stem, error) != 0)
        return error->status;
    return extension_read(&plugin->about, error);
}

/* ---- The interface ------------------------------------------------------------------------------------------ */

int plugin_load(const struct context *context, const char *path, const struct engine_plugin *about,
                struct plugin **result, struct engine_error *error)
{
    *result = NULL;
    struct plugin *plugin = calloc(1, sizeof *plugin);
    if (!plugin)
        return error_memory(error, sizeof *plugin, "a plugin");
    if (load(plugin, context, path, about, error) == 0) {
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

bool plugin_impl_is_of(const struct engine_impl *impl, const char *kind)
{
    return strcmp(kind, "auto") == 0 || (strcmp(kind, "cpu") == 0 && impl->memory == ENGINE_HOST_MEMORY) ||
           (strcmp(kind, "cuda") == 0 && impl->memory == ENGINE_CUDA_MEMORY);
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

uint32_t plugin_key_flags(const struct context *context, const struct engine_plugin *about, const char *section,
                          const char *key)
{
    const uint32_t own = keys_flags(context, section, key);
    if (own || strcasecmp(section, keys_sections[KEYS_INIT].name) == 0)
        return own ? own : KEY_SUBJECT | KEY_PATH;
    for (uint32_t i = 0; about && strcasecmp(section, about->name) == 0 && i < about->params.count; i++)
        if (strcasecmp(key, about->params.at[i].name) == 0) {
            const uint32_t flags = about->params.at[i].flags & (KEY_FREE | KEY_PATH | ENGINE_PARAM_BY_UNIVERSE);
            return flags | KEY_TOLD | (flags & KEY_FREE ? 0 : KEY_SUBJECT);
        }
    return KEY_SUBJECT;
}
