/* engine list: what there is to run. */
#include "about.h"
#include "base/json.h"
#include "options.h"

#include <stdio.h>
#include <string.h>

static const char list_help[] =
    "Lists the plugins that are found, each with its implementations and whether this machine can run them. A plugin "
    "is a kind of simulation; an implementation is one way to compute it, on the processor (cpu) or on an NVIDIA "
    "graphics "
    "card (cuda).\n"
    "\n"
    "Plugins are looked for in these folders, in this order: those given by --plugins, those in the variable "
    "ENGINE_PLUGIN_PATH (with colons between them), the folder `plugins` beside the program, and lib/engine/plugins "
    "where the engine is installed. `engine describe PLUGIN` tells more of one.\n";

static void list_plugin(const struct plugin *plugin)
{
    printf("%-16s %s\n", plugin->about.name, plugin->about.summary);
    for (uint32_t i = 0; i < plugin->about.impls.count; i++) {
        const struct engine_impl *impl = &plugin->about.impls.at[i];
        struct engine_error error;
        const char *absent = about_absence(impl, &error);
        printf("  %-14s %s%s%s\n", impl->name,
               absent       ? "not available: "
               : impl->help ? impl->help
                            : "",
               absent ? absent : "", about_reference(plugin, impl));
    }
}

/* A plugin that does not load is a line of the list, not its end. */
static int list_all(struct registry *registry, bool json)
{
    struct json_object *array = json ? json_new_array() : NULL;
    const char *name;
    int status = ENGINE_STATUS_DONE;
    for (uint32_t i = 0; (name = registry_name_at(registry, i)); i++) {
        const struct plugin *plugin;
        struct engine_error error;
        if (registry_find(registry, name, &plugin, &error) != 0)
            status = report(&error);
        else if (json)
            json_append(array, about_json(plugin));
        else
            list_plugin(plugin);
    }
    return json && about_print_json(array) != 0 ? ENGINE_STATUS_DEVICE : status;
}

static int list(int count, char **words)
{
    struct options options;
    struct engine_error error;
    struct registry *registry = NULL;
    if (options_read(&verb_list, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    int status = options_registry(&options, &registry, &error) != 0 ? report(&error) : list_all(registry, options.json);
    registry_close(registry);
    return finish_stdout(status);
}

const struct verb verb_list = {
    .name = "list",
    .summary = "lists plugins and their implementations",
    .words = "",
    .options = OPTION_JSON,
    .help = list_help,
    .run = list,
};
