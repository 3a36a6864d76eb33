/* engine list: lists the plugins, or the file formats. */
#include "describe.h"
#include "options.h"
#include "ranks.h"

#include <engine/format.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char list_help[] =
    "Lists the installed plugins with their implementations, and says which implementations this machine can run. A "
    "plugin is a kind of simulation; an implementation is one way to compute it, on the processor (cpu) or on an "
    "NVIDIA GPU (cuda). `engine describe PLUGIN` describes one plugin. An implementation that wraps grids itself takes "
    "only the edges that its line names. `engine check` says whether an implementation takes the edges of a "
    "configuration.\n"
    "\n"
    "The engine searches these folders for plugins, in this order: the folders of --plugins, those in the environment "
    "variable ENGINE_PLUGIN_PATH (separated by colons), the folder `plugins` beside the program, and "
    "lib/engine/plugins below the prefix where the engine is installed, such as /usr/local.\n"
    "\n"
    "With --formats, it lists the file formats: those that are part of the engine, and those of libraries "
    "NAME.format.so in these folders.\n";

/* Why implementations cannot run here: each reason once. */
struct reasons {
    uint32_t count;
    struct engine_error at[8];
};

/* Returns the number of a reason, from 1 on. The last one takes all reasons that have no room. */
static uint32_t add_reason(struct reasons *reasons, const char *reason)
{
    const uint32_t last = sizeof reasons->at / sizeof reasons->at[0] - 1;
    uint32_t i = 0;
    while (i < last && i < reasons->count && strcmp(reasons->at[i].text, reason) != 0)
        i++;
    if (i == reasons->count)
        snprintf(reasons->at[reasons->count++].text, sizeof reasons->at[i].text, "%s", reason);
    return i + 1;
}

static void list_plugin(struct engine_context *context, const struct engine_plugin_info *plugin,
                        struct reasons *reasons)
{
    printf("%-16s %s\n", plugin->about->name, plugin->about->summary);
    for (uint32_t i = 0; i < plugin->about->impls.count; i++) {
        const struct engine_impl *impl = &plugin->about->impls.at[i];
        struct engine_error error;
        const char *absent = engine_impl_missing(context, impl, &error);
        char note[16] = "";
        if (absent)
            snprintf(note, sizeof note, "[%u] ", add_reason(reasons, absent));
        printf("  %-14s %s%s%s%s\n", impl->name, note, impl->help ? impl->help : "", describe_reference(plugin, impl),
               describe_edges(impl));
    }
}

/* ---- Formats ----------------------------------------------------------------------------------------------------- */

static const char *unit_text(uint32_t length)
{
    return length == ENGINE_NANOMETRE ? ", lengths in nm" : length == ENGINE_ANGSTROM ? ", lengths in angstrom" : "";
}

static void list_format(const struct engine_format_info *info)
{
    const struct engine_format *format = &info->format;
    printf("%-12s %s\n", format->name, format->help);
    printf("%-12s %s%s%s, %s, %s\n", "",
           format->reads && format->writes ? "read and written"
           : format->reads                 ? "read"
                                           : "written",
           format->frames ? ", all frames" : "", unit_text(info->length), format->endings,
           info->library ? info->library : "part of the engine");
}

static bool add(struct json_object *json, const char *key, struct json_object *member)
{
    return json_object_object_add(json, key, member) == 0;
}

static bool add_format(struct json_object *all, const struct engine_format_info *info)
{
    const struct engine_format *format = &info->format;
    struct json_object *json = json_object_new_object();
    return json && add(json, "name", json_object_new_string(format->name)) &&
           add(json, "help", json_object_new_string(format->help)) &&
           add(json, "reads", json_object_new_boolean(format->reads)) &&
           add(json, "writes", json_object_new_boolean(format->writes)) &&
           add(json, "endings", json_object_new_string(format->endings)) &&
           add(json, "all_frames", json_object_new_boolean(format->frames)) &&
           add(json, "length_unit",
               info->length ? json_object_new_string(info->length == ENGINE_NANOMETRE ? "nm" : "angstrom") : NULL) &&
           add(json, "library", info->library ? json_object_new_string(info->library) : NULL) &&
           json_object_array_add(all, json) == 0;
}

/* A library that does not load is reported as an error, and the list continues after it. */
static int list_formats(const struct options *options, struct engine_context *context)
{
    struct engine_format_info info = {.size = sizeof info};
    struct json_object *all = options->json ? json_object_new_array() : NULL;
    struct engine_error error;
    const char *name;
    int status = ENGINE_STATUS_DONE;
    bool whole = !options->json || all;
    for (uint32_t i = 0; (name = engine_format_name(context, i)); i++)
        if (engine_format_find(context, name, &info, &error) != 0)
            status = report(&error);
        else if (options->json)
            whole = whole && add_format(all, &info);
        else
            list_format(&info);
    if (!whole) {
        fail(&error, ENGINE_STATUS_DEVICE, "no memory for the list");
        status = report(&error);
    } else if (options->json)
        puts(json_object_to_json_string_ext(all, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(all);
    return status;
}

/* Adds an item to the text of a JSON array: its lines, each after two spaces. */
static void add_item(FILE *array, const char *text, bool first)
{
    fputs(first ? "\n" : ",\n", array);
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        end = strchrnul(line, '\n');
        fprintf(array, "%s  %.*s", line == text ? "" : "\n", (int) (end - line), line);
    }
}

/* Looks up each plugin once. A plugin that does not load is reported as an error, and is not in the array. */
static int add_plugins(struct engine_context *context, FILE *array)
{
    struct engine_error error;
    const char *name;
    char *text;
    int status = ENGINE_STATUS_DONE;
    bool first = true;
    fputc('[', array);
    for (uint32_t i = 0; (name = engine_plugin_name(context, i)); i++) {
        if (engine_plugin_json(context, name, &text, &error) != 0) {
            status = report(&error);
            continue;
        }
        add_item(array, text, first);
        free(text);
        first = false;
    }
    fputs(first ? "]\n" : "\n]\n", array);
    return status;
}

/* Prints all plugins at once, so that an error of the output has its reason. */
static int list_as_json(struct engine_context *context)
{
    struct engine_error error;
    char *text = NULL;
    size_t length;
    FILE *array = open_memstream(&text, &length);
    const int status = array ? add_plugins(context, array) : ENGINE_STATUS_DONE;
    const bool whole = array && !ferror(array);
    if (!array || fclose(array) != 0 || !text || !whole) {
        free(text);
        fail(&error, ENGINE_STATUS_DEVICE, "no memory for the list");
        return report(&error);
    }
    print_text(text);
    return status;
}

/* ---- The verb ---------------------------------------------------------------------------------------------------- */

/* Lists the plugins. A plugin that does not load is reported as an error, and the list continues after it. */
static int list(struct options *options, struct engine_context *context)
{
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct reasons reasons = {.count = 0};
    struct engine_error error;
    const char *name;
    char module[INSTALLED_PATH], transports[128];
    int status = ENGINE_STATUS_DONE;
    if (options->formats)
        return list_formats(options, context);
    if (options->json)
        return list_as_json(context);
    for (uint32_t i = 0; (name = engine_plugin_name(context, i)); i++)
        if (engine_plugin_find(context, name, &plugin, &error) != 0)
            status = report(&error);
        else
            list_plugin(context, &plugin, &reasons);
    printf("\n");
    for (uint32_t i = 0; i < reasons.count; i++)
        printf("[%u] not available: %s\n", i + 1, reasons.at[i].text);
    printf("runs of several processes (mpirun): %s\n",
           ranks_module(module) ? "available, with " RANKS_MODULE : "not available: make found no mpicc");
    ranks_transports(transports);
    printf("margins between GPUs of several processes: %s\n", transports);
    return status;
}

const struct verb verb_list = {
    .name = "list",
    .summary = "lists plugins and their implementations, or file formats",
    .words = "",
    .options = OPTION_JSON | OPTION_FORMATS,
    .help = list_help,
    .run = list,
};
