/* The functions of engine.h for contexts, plugins, configurations and words. */
#include "api/handles.h"
#include "base/machine.h"
#include "base/modules.h"
#include "base/nearest.h"
#include "base/text.h"
#include "base/type.h"
#include "config/keys.h"
#include "config/param.h"
#include "memory/devices.h"
#include "plan/search.h"

#include <stdlib.h>
#include <string.h>

/* ---- The context ----------------------------------------------------------------------------------------------- */

/* Copies the members that the caller's version of the structure has. The context owns copies of the texts. */
static int copy_hooks(struct engine_context *context, const struct engine_hooks *from, struct engine_error *error)
{
    struct engine_hooks *to = &context->context.hooks;
    if (from)
        memcpy(to, from, from->size < sizeof *to ? from->size : sizeof *to);
    to->size = sizeof *to;
    context->path = to->plugin_path ? strdup(to->plugin_path) : NULL;
    context->folders = calloc(to->plugin_folder_count + 1, sizeof *context->folders);
    bool copied = context->folders && !context->path == !to->plugin_path;
    for (uint32_t i = 0; copied && i < to->plugin_folder_count; i++)
        copied = (context->folders[i] = strdup(to->plugin_folders[i])) != NULL;
    to->plugin_path = context->path;
    to->plugin_folders = (const char *const *) context->folders;
    context->context.memory = to->allocate ? &api_memory : NULL;
    if (!to->allocate != !to->release)
        return error_set(error, ENGINE_STATUS_USAGE, "the program gives one of the hooks allocate and release alone");
    return copied ? 0 : error_memory(error, sizeof *context, "a context");
}

int api_open(const struct engine_hooks *hooks, const struct modules *modules, struct engine_context **out,
             struct engine_error *error)
{
    API_NUMBERS;
    struct engine_context *context = calloc(1, sizeof *context);
    *out = NULL;
    if (!context)
        return error_memory(error, sizeof *context, "a context");
    context->opened = machine_clock();
    context->context.running = &context->running;
    context->context.modules = modules;
    if (copy_hooks(context, hooks, error) != 0 || (modules->join && modules->join(&context->context, error) != 0) ||
        devices_open(&context->context, modules->devices, error) != 0 ||
        registry_open(&context->context, &context->registry, error) != 0 ||
        (modules->open && modules->open(&context->context, context->registry, error) != 0)) {
        engine_close(context);
        return error->status;
    }
    *out = context;
    return 0;
}

void engine_close(struct engine_context *context)
{
    if (!context)
        return;
    const struct modules *modules = context->context.modules;
    if (modules->leave)
        modules->leave(&context->context);
    if (modules->close)
        modules->close(&context->context);
    registry_close(context->registry);
    devices_close(&context->context);
    for (char **folder = context->folders; folder && *folder; folder++)
        free(*folder);
    free(context->folders);
    free(context->path);
    free(context);
}

const char *engine_running(const struct engine_context *context, const char **function)
{
    return context_running(&context->context, function);
}

void engine_message(const struct engine_context *context, int level, const char *text)
{
    context_message(&context->context, level, "%s", text);
}

void engine_activity(const struct engine_context *context, const char *activity)
{
    context_progress(&context->context,
                     &(struct engine_progress){.size = sizeof(struct engine_progress), .activity = activity});
}

const char *engine_words(const struct engine_context *context, uint32_t topic, const char *subject, char *text,
                         size_t size)
{
    const struct engine_hooks *hooks = &context->context.hooks;
    return hooks->words ? hooks->words(topic, subject, text, size) : NULL;
}

const struct engine_hooks *engine_context_hooks(const struct engine_context *context)
{
    return &context->context.hooks;
}

/* ---- Plugins --------------------------------------------------------------------------------------------------- */

const char *engine_plugin_name(const struct engine_context *context, uint32_t index)
{
    return registry_name_at(context->registry, index);
}

void plugin_fill_info(const struct plugin *plugin, struct engine_plugin_info *info)
{
    const struct engine_plugin_info filled = {info->size, plugin->disturbs, plugin->path, &plugin->about,
                                              plugin_reference(plugin)};
    memcpy(info, &filled, info->size < sizeof filled ? info->size : sizeof filled);
}

int engine_plugin_find(struct engine_context *context, const char *name, struct engine_plugin_info *info,
                       struct engine_error *error)
{
    API_NUMBERS;
    const struct plugin *plugin;
    if (registry_find(context->registry, name, &plugin, error) != 0)
        return error->status;
    plugin_fill_info(plugin, info);
    return 0;
}

const char *engine_impl_missing(struct engine_context *context, const struct engine_impl *impl,
                                struct engine_error *error)
{
    API_NUMBERS;
    struct device *device;
    const char *missing = plugin_impl_missing(impl);
    if (missing)
        return missing;
    return devices_find(&context->context, impl->memory, 0, &device, error) == 0 ? NULL : error->text;
}

int engine_impl_is_of(const struct engine_impl *impl, const char *kind)
{
    return plugin_impl_is_of(impl, kind);
}

int engine_plugin_add(struct engine_context *context, const struct engine_plugin *plugin, struct engine_error *error)
{
    API_NUMBERS;
    const struct plugin *added;
    const char *name = plugin->name ? plugin->name : "";
    return registry_load(context->registry, name, name, plugin, &added, error);
}

uint32_t engine_breaches(const struct engine_context *context)
{
    return context->running.breaches;
}

/* ---- Configurations -------------------------------------------------------------------------------------------- */

/* Wraps a configuration, or closes it after an error. */
static int wrap_config(struct engine_context *context, struct config *config, struct engine_config **out,
                       struct engine_error *error)
{
    *out = calloc(1, sizeof **out);
    if (!*out) {
        config_close(config);
        return error_memory(error, sizeof **out, "a configuration");
    }
    **out = (struct engine_config){context, config};
    return 0;
}

int engine_config_open(struct engine_context *context, const char *path, struct engine_config **out,
                       struct engine_error *error)
{
    API_NUMBERS;
    struct config *config;
    *out = NULL;
    if (config_open(path, &config, error) != 0)
        return error->status;
    config_set_context(config, &context->context);
    return wrap_config(context, config, out, error);
}

int engine_config_copy(const struct engine_config *config, struct engine_config **out, struct engine_error *error)
{
    API_NUMBERS;
    struct config *copy;
    *out = NULL;
    return config_clone(config->config, &copy, error) != 0 ? error->status
                                                           : wrap_config(config->context, copy, out, error);
}

void engine_config_close(struct engine_config *config)
{
    if (config)
        config_close(config->config);
    free(config);
}

int engine_config_set(struct engine_config *config, const char *assignment, struct engine_error *error)
{
    API_NUMBERS;
    return config_set(config->config, assignment, error);
}

int engine_config_put(struct engine_config *config, const char *section, const char *key, const char *value,
                      struct engine_error *error)
{
    API_NUMBERS;
    return config_put(config->config, section, key, value, error);
}

const char *engine_config_get(const struct engine_config *config, const char *section, const char *key)
{
    return config_get(config->config, section, key);
}

int engine_config_check(const struct engine_config *config, struct engine_error *error)
{
    API_NUMBERS;
    return plan_check_keys(config->config, config->context->registry, error);
}

struct engine_context *engine_config_context(const struct engine_config *config)
{
    return config->context;
}

const char *engine_config_place(const struct engine_config *config, const char *section, const char *key)
{
    return config_place(config->config, section, key);
}

int engine_config_is_assigned(const struct engine_config *config, const char *section, const char *key)
{
    return config_is_assigned(config->config, section, key);
}

int engine_config_values(const struct engine_config *config, const struct engine_section *section,
                         struct engine_value *values, struct engine_error *error)
{
    API_NUMBERS;
    return param_read_section(config->config, section->name, &section->keys, NULL, NULL, values, error);
}

void engine_config_set_context(struct engine_config *config, struct engine_context *context)
{
    config->context = context;
    config_set_context(config->config, &context->context);
}

int engine_config_at(const struct engine_config *config, uint32_t index, const char **section, const char **key)
{
    for (uint32_t i = 0; (*section = config_section_at(config->config, i)); i++)
        for (uint32_t k = 0; (*key = config_key_at(config->config, *section, k)); k++)
            if (index-- == 0)
                return 1;
    return 0;
}

const char *engine_config_resolve(const struct engine_config *config, const char *path, char *out, size_t size)
{
    return config_resolve(config->config, path, out, size);
}

int engine_config_plugin(const struct engine_config *config, const char *name, struct engine_plugin_info *info,
                         struct engine_error *error)
{
    API_NUMBERS;
    const struct plugin *plugin;
    struct plan_search search;
    int status = plan_search_open(&search, config->config, config->context->registry, error);
    if (status == 0)
        status = registry_find(search.registry, name, &plugin, error);
    if (status == 0)
        plugin_fill_info(plugin, info);
    plan_search_close(&search);
    return status;
}

int engine_parse(const struct engine_param *param, const char *text, struct engine_value *value,
                 struct engine_error *error)
{
    API_NUMBERS;
    return param_parse(param, text, NULL, value, error);
}

/* ---- Words ----------------------------------------------------------------------------------------------------- */

const char *engine_nearest(char hint[128], const char *word, const char *(*name_at)(const void *list, uint32_t index),
                           const void *list)
{
    return nearest_hint(hint, word, name_at, list);
}

const char *engine_nearest_file(char hint[128], const char *path)
{
    return nearest_file_hint(hint, path);
}

const char *engine_type_name(uint32_t type)
{
    return type < TYPE_COUNT ? type_name(type) : NULL;
}

const char *engine_si(double number, char text[32])
{
    API_NUMBERS;
    return text_si(number, text);
}

void engine_quote(char *text, size_t size, const char *word)
{
    text_quote(text, size, word);
}

const char *engine_version(void)
{
    return machine_version();
}
