/* engine list: lists the plugins. */
#include "describe.h"
#include "options.h"

#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
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

static int no_memory(struct engine_error *error)
{
    return fail(error, ENGINE_STATUS_DEVICE, "no memory for the list of plugins");
}

/* Adds a plugin's description to an array. */
static int add_json(struct engine_context *context, const char *name, struct json_object *array,
                    struct engine_error *error)
{
    char *text;
    if (engine_plugin_json(context, name, &text, error) != 0)
        return error->status;
    struct json_object *json = json_tokener_parse(text);
    free(text);
    if (json && json_object_array_add(array, json) == 0)
        return 0;
    json_object_put(json);
    return no_memory(error);
}

/* Lists a plugin. A plugin that does not load is reported as an error, and the list continues after it. */
static int list_one(struct engine_context *context, const char *name, struct json_object *array)
{
    struct engine_plugin_info plugin;
    struct engine_error error;
    if ((array ? add_json(context, name, array, &error) : engine_plugin_find(context, name, &plugin, &error)) != 0)
        return report(&error);
    if (!array)
        list_plugin(context, &plugin);
    return ENGINE_STATUS_DONE;
}

/* Lists all plugins as lines, or appends their descriptions to `array` unless it is NULL. Returns the exit status. */
static int list_all(struct engine_context *context, struct json_object *array)
{
    const char *name;
    int status = ENGINE_STATUS_DONE;
    for (uint32_t i = 0; (name = engine_plugin_name(context, i)); i++) {
        const int plugin_status = list_one(context, name, array);
        status = plugin_status ? plugin_status : status;
    }
    return status;
}

/* Lists the plugins as one JSON array. */
static int list_json(struct engine_context *context)
{
    struct json_object *array = json_object_new_array();
    struct engine_error error;
    if (!array) {
        no_memory(&error);
        return report(&error);
    }
    int status = list_all(context, array);
    errno = 0; /* json-c drops from the text what it has no memory for, and only errno tells */
    const char *text = json_object_to_json_string_ext(array, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
    if (text && errno != ENOMEM)
        puts(text);
    else {
        no_memory(&error);
        status = report(&error);
    }
    json_object_put(array);
    return status;
}

static int list(int count, char **words)
{
    struct options options;
    struct engine_error error;
    struct engine_context *context = NULL;
    if (options_read(&verb_list, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(ENGINE_STATUS_DONE);
    const int status = options_context(&options, &context, &error) != 0 ? report(&error)
                       : options.json                                   ? list_json(context)
                                                                        : list_all(context, NULL);
    engine_close(context);
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
