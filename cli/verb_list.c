/* engine list: lists the plugins. */
#include "describe.h"
#include "options.h"
#include "ranks.h"

#include <stdio.h>
#include <string.h>

static const char list_help[] =
    "Lists the installed plugins with their implementations, and says which implementations this machine can run. A "
    "plugin is "
    "a kind of simulation; an implementation is one way to compute it, on the processor (cpu) or on an NVIDIA GPU "
    "(cuda). `engine describe PLUGIN` describes one plugin.\n"
    "\n"
    "The engine searches these folders for plugins, in this order: the folders of --plugins, those in the environment "
    "variable ENGINE_PLUGIN_PATH (separated by colons), the folder `plugins` beside the program, and "
    "lib/engine/plugins below the prefix where the engine is installed, such as /usr/local.\n";

static void list_plugin(struct engine_context *context, const struct engine_plugin_info *plugin)
{
    printf("%-16s %s\n", plugin->about->name, plugin->about->summary);
    for (uint32_t i = 0; i < plugin->about->impls.count; i++) {
        const struct engine_impl *impl = &plugin->about->impls.at[i];
        struct engine_error error;
        const char *absent = engine_impl_missing(context, impl, &error);
        printf("  %-14s %s%s%s\n", impl->name,
               absent       ? "not available: "
               : impl->help ? impl->help
                            : "",
               absent ? absent : "", describe_reference(plugin, impl));
    }
}

/* Lists the plugins. A plugin that does not load is reported as an error, and the list continues after it. */
static int list(struct options *options, struct engine_context *context)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_error error;
    const char *name;
    char *text, module[INSTALLED_PATH];
    int status = ENGINE_STATUS_DONE;
    for (uint32_t i = 0; (name = engine_plugin_name(context, i)); i++)
        if (engine_plugin_find(context, name, &plugin, &error) != 0)
            status = report(&error);
        else if (!options->json)
            list_plugin(context, &plugin);
    if (!options->json) {
        printf("\nruns of several processes (mpirun): %s\n",
               ranks_module(module) ? "available, with " RANKS_MODULE : "not available: make found no mpicc");
        return status;
    }
    if (engine_plugin_json(context, NULL, &text, &error) != 0)
        return report(&error);
    print_text(text);
    return status;
}

const struct verb verb_list = {
    .name = "list",
    .summary = "lists plugins and their implementations",
    .words = "",
    .options = OPTION_JSON,
    .help = list_help,
    .run = list,
};
