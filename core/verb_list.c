/* engine list and engine describe: what there is to run. */
#include "json.h"
#include "options.h"
#include "version.h"

#include <stdio.h>
#include <string.h>

static const char list_help[] = "usage: engine list [options]\n"
                                "\n"
                                "Lists the plugins on the search path, each with its implementations and whether they "
                                "are there on this machine. Plugins\n"
                                "are looked for in: folders given by --plugins, ENGINE_PLUGIN_PATH, `plugins` beside "
                                "the program, the installed folder.\n"
                                "\n"
                                "  --json                    prints one JSON array on stdout\n"
                                "  --plugins FOLDER          looks there first\n"
                                "  --quiet, --verbose\n";

static const char describe_help[] = "usage: engine describe PLUGIN [options]\n"
                                    "\n"
                                    "Tells all about one plugin: its fields, its parameters with units, ranges and "
                                    "defaults, its implementations, and what\n"
                                    "it measures.\n"
                                    "\n"
                                    "  --json                    prints one JSON object on stdout\n"
                                    "  --plugins FOLDER          looks for plugins there first\n"
                                    "  --quiet, --verbose\n";

/* Why an implementation is not there on this machine, whatever the configuration; NULL: it is. */
static const char *absent_because(const struct engine_impl *impl, struct error *error)
{
    struct device *device;
    if (!impl->advance)
        return "not compiled into this build";
    return device_find(impl->memory, 0, &device, error) == 0 ? NULL : error->text;
}

static struct json_object *impls_json(const struct plugin *plugin)
{
    struct json_object *array = json_new_array();
    for (uint32_t i = 0; i < plugin->about.impls.count; i++) {
        const struct engine_impl *impl = &plugin->about.impls.at[i];
        struct json_object *json = json_new_object();
        struct error error;
        const char *absent = absent_because(impl, &error);
        json_add(json, "name", json_new_text(impl->name));
        json_add(json, "help", json_new_text(impl->help));
        json_add(json, "rank", json_new_integer(impl->rank));
        json_add(json, "exact", json_new_flag((impl->flags & ENGINE_EXACT) != 0));
        json_add(json, "reference", json_new_flag(impl == plugin_reference(plugin)));
        json_add(json, "available", json_new_flag(!absent));
        json_add(json, "reason", json_new_text(absent));
        json_append(array, json);
    }
    return array;
}

static struct json_object *params_json(const struct plugin *plugin)
{
    struct json_object *array = json_new_array();
    for (uint32_t i = 0; i < plugin->about.params.count; i++) {
        const struct engine_param *param = &plugin->about.params.at[i];
        struct json_object *json = json_new_object();
        json_add(json, "name", json_new_text(param->name));
        json_add(json, "help", json_new_text(param->help));
        json_add(json, "unit", json_new_text(param->unit));
        json_add(json, "default", json_new_text(param->initial));
        json_append(array, json);
    }
    return array;
}

static struct json_object *plugin_json(const struct plugin *plugin)
{
    struct json_object *json = json_new_object();
    json_add(json, "name", json_new_text(plugin->about.name));
    json_add(json, "version", json_new_text(plugin->about.version));
    json_add(json, "summary", json_new_text(plugin->about.summary));
    json_add(json, "file", json_new_text(plugin->path));
    json_add(json, "parameters", params_json(plugin));
    json_add(json, "implementations", impls_json(plugin));
    return json;
}

static int print_json(struct json_object *json)
{
    struct error error;
    return json_print(json, &error) != 0 ? report(&error) : STATUS_DONE;
}

/* ---- list --------------------------------------------------------------------------------------------------- */

static void list_plugin(const struct plugin *plugin)
{
    printf("%-14s %s\n", plugin->about.name, plugin->about.summary);
    for (uint32_t i = 0; i < plugin->about.impls.count; i++) {
        const struct engine_impl *impl = &plugin->about.impls.at[i];
        struct error error;
        const char *absent = absent_because(impl, &error);
        printf("  %-12s %s%s%s\n", impl->name,
               absent       ? "not available: "
               : impl->help ? impl->help
                            : "",
               absent ? absent : "", impl == plugin_reference(plugin) ? " (the reference)" : "");
    }
}

/* A plugin that does not load is a line of the list, not its end. */
static int list_all(struct registry *registry, bool json)
{
    struct json_object *array = json ? json_new_array() : NULL;
    const char *name;
    int status = STATUS_DONE;
    for (uint32_t i = 0; (name = registry_name_at(registry, i)); i++) {
        const struct plugin *plugin;
        struct error error;
        if (registry_find(registry, name, &plugin, &error) != 0)
            status = report(&error);
        else if (json)
            json_append(array, plugin_json(plugin));
        else
            list_plugin(plugin);
    }
    return json && print_json(array) != 0 ? STATUS_DEVICE : status;
}

static int list(int count, char **words)
{
    struct options options;
    struct error error;
    struct registry *registry = NULL;
    if (options_read(&verb_list, count, words, OPTION_JSON, 0, 0, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(STATUS_DONE);
    int status = options_registry(&options, &registry, &error) != 0 ? report(&error) : list_all(registry, options.json);
    registry_close(registry);
    return finish_stdout(status);
}

/* ---- describe ----------------------------------------------------------------------------------------------- */

static const char *const kind_names[] = {"grid", "particles", "matrix", "bins"};
static const char *const role_names[] = {"state", "input", "output"};

static void describe_fields(const struct plugin *plugin)
{
    printf("\nfields\n");
    for (uint32_t i = 0; i < plugin->about.fields.count; i++) {
        const struct engine_field *field = &plugin->about.fields.at[i];
        printf("  %-22s %s, %s", field->name, role_names[field->role], kind_names[field->kind]);
        if (field->kind == ENGINE_GRID)
            printf(" of %u axes", field->rank);
        printf(" of %s", field->type == ENGINE_CONFIGURED ? "[matrix] element" : type_name(field->type));
        if (field->components > 1)
            printf(" x %u", field->components);
        if (field->values)
            printf(", values 0 to %u", field->values - 1);
        printf("; %s\n", field->help ? field->help : "");
    }
}

static void describe_range(const struct engine_param *param)
{
    if (param->type == ENGINE_PARAM_CHOICE)
        for (uint32_t i = 0; param->choices[i]; i++)
            printf("%s%s", i ? " | " : "; ", param->choices[i]);
    else if (param->type == ENGINE_PARAM_FLAG)
        printf("; yes | no");
    else if (param->type != ENGINE_PARAM_TEXT && param->min < param->max)
        printf("; %.15g to %.15g", param->min, param->max);
}

static void describe_params(const struct plugin *plugin)
{
    printf("\nparameters, section [%s] of a configuration\n", plugin->about.name);
    for (uint32_t i = 0; i < plugin->about.params.count; i++) {
        const struct engine_param *param = &plugin->about.params.at[i];
        char assignment[256];
        snprintf(assignment, sizeof assignment, "%s = %s", param->name, param->initial);
        printf("  %-22s %s", assignment, param->help ? param->help : "");
        describe_range(param);
        printf("%s%s%s\n", param->unit ? " " : "", param->unit ? param->unit : "",
               param->flags & ENGINE_PARAM_TUNING ? " (tuning: changes speed alone)" : "");
    }
}

static void describe_rest(const struct plugin *plugin)
{
    printf("\nimplementations, best first choice by rank\n");
    for (uint32_t i = 0; i < plugin->about.impls.count; i++) {
        const struct engine_impl *impl = &plugin->about.impls.at[i];
        struct error error;
        const char *absent = absent_because(impl, &error);
        printf("  %-14s rank %3d  %s%s%s%s\n", impl->name, (int) impl->rank, impl->help ? impl->help : "",
               impl == plugin_reference(plugin) ? " (the reference)" : "", absent ? "; not available: " : "",
               absent ? absent : "");
    }
    if (plugin->about.metrics.count)
        printf("\nmetrics\n");
    for (uint32_t i = 0; i < plugin->about.metrics.count; i++)
        printf("  %-22s %s\n", plugin->about.metrics.at[i].name, plugin->about.metrics.at[i].help);
    if (plugin->about.generators.count)
        printf("\nfirst states, [init] source\n");
    for (uint32_t i = 0; i < plugin->about.generators.count; i++)
        printf("  %-22s %s\n", plugin->about.generators.at[i].name, plugin->about.generators.at[i].help);
}

static void describe_plugin(const struct plugin *plugin)
{
    printf("%s %s: %s\n%s\n", plugin->about.name, plugin->about.version, plugin->about.summary, plugin->path);
    describe_fields(plugin);
    if (plugin->about.params.count)
        describe_params(plugin);
    describe_rest(plugin);
}

static int describe(int count, char **words)
{
    struct options options;
    struct error error;
    struct registry *registry = NULL;
    const struct plugin *plugin;
    if (options_read(&verb_describe, count, words, OPTION_JSON, 1, 1, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(STATUS_DONE);
    int status = STATUS_DONE;
    if (options_registry(&options, &registry, &error) != 0 ||
        registry_find(registry, options.words[0], &plugin, &error) != 0)
        status = report(&error);
    else if (options.json)
        status = print_json(plugin_json(plugin));
    else
        describe_plugin(plugin);
    registry_close(registry);
    return finish_stdout(status);
}

const struct verb verb_list = {"list", "lists plugins and their implementations", list_help, list};
const struct verb verb_describe = {"describe", "tells all about one plugin", describe_help, describe};
