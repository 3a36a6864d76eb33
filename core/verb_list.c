/* engine list and engine describe: what there is to run. */
#include "options.h"
#include "version.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

static const char list_help[] =
    "Lists the plugins that are found, each with its implementations and whether this machine can run them. A plugin "
    "is "
    "a kind of simulation; an implementation is one way to compute it, on the processor (cpu) or on an NVIDIA graphics "
    "card (cuda).\n"
    "\n"
    "Plugins are looked for in these folders, in this order: those given by --plugins, those in the variable "
    "ENGINE_PLUGIN_PATH (with colons between them), the folder `plugins` beside the program, and the folder that `make "
    "install` fills.\n";

static const char describe_help[] =
    "Tells all about one plugin: what its state consists of, its parameters with units, ranges and defaults, its "
    "implementations, and what it measures.\n";

/* Why an implementation is not there on this machine, whatever the configuration; NULL: it is. */
static const char *absent_because(const struct engine_impl *impl, struct error *error)
{
    struct device *device;
    if (!impl->advance)
        return "not compiled into this build";
    return device_find(impl->memory, 0, &device, error) == 0 ? NULL : error->text;
}

static struct json_object *string(const char *text)
{
    return text ? json_object_new_string(text) : NULL;
}

static struct json_object *impls_json(const struct plugin *plugin)
{
    struct json_object *array = json_object_new_array();
    for (uint32_t i = 0; i < plugin->about.impls.count; i++) {
        const struct engine_impl *impl = &plugin->about.impls.at[i];
        struct json_object *json = json_object_new_object();
        struct error error;
        const char *absent = absent_because(impl, &error);
        json_object_object_add(json, "name", string(impl->name));
        json_object_object_add(json, "help", string(impl->help));
        json_object_object_add(json, "rank", json_object_new_int(impl->rank));
        json_object_object_add(json, "exact", json_object_new_boolean((impl->flags & ENGINE_EXACT) != 0));
        json_object_object_add(json, "reference", json_object_new_boolean(impl == plugin_reference(plugin)));
        json_object_object_add(json, "available", json_object_new_boolean(!absent));
        json_object_object_add(json, "reason", string(absent));
        json_object_array_add(array, json);
    }
    return array;
}

static struct json_object *params_json(const struct plugin *plugin)
{
    struct json_object *array = json_object_new_array();
    for (uint32_t i = 0; i < plugin->about.params.count; i++) {
        const struct engine_param *param = &plugin->about.params.at[i];
        struct json_object *json = json_object_new_object();
        json_object_object_add(json, "name", string(param->name));
        json_object_object_add(json, "help", string(param->help));
        json_object_object_add(json, "unit", string(param->unit));
        json_object_object_add(json, "default", string(param->initial));
        json_object_array_add(array, json);
    }
    return array;
}

static struct json_object *plugin_json(const struct plugin *plugin)
{
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "name", string(plugin->about.name));
    json_object_object_add(json, "version", string(plugin->about.version));
    json_object_object_add(json, "summary", string(plugin->about.summary));
    json_object_object_add(json, "file", string(plugin->path));
    json_object_object_add(json, "parameters", params_json(plugin));
    json_object_object_add(json, "implementations", impls_json(plugin));
    return json;
}

static void print_json(struct json_object *json)
{
    printf("%s\n", json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(json);
}

/* Behind an implementation's help; many say it themselves. */
static const char *reference_note(const struct plugin *plugin, const struct engine_impl *impl)
{
    const bool says_so = impl->help && impl->advance && strstr(impl->help, "the reference");
    return impl == plugin_reference(plugin) && !says_so ? " (the reference)" : "";
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
               absent ? absent : "", reference_note(plugin, impl));
    }
}

/* A plugin that does not load is a line of the list, not its end. */
static int list_all(struct registry *registry, bool json)
{
    struct json_object *array = json ? json_object_new_array() : NULL;
    const char *name;
    int status = STATUS_DONE;
    for (uint32_t i = 0; (name = registry_name_at(registry, i)); i++) {
        const struct plugin *plugin;
        struct error error;
        if (registry_find(registry, name, &plugin, &error) != 0)
            status = report(&error);
        else if (json)
            json_object_array_add(array, plugin_json(plugin));
        else
            list_plugin(plugin);
    }
    if (json)
        print_json(array);
    return status;
}

static int list(int count, char **words)
{
    struct options options;
    struct error error;
    struct registry *registry = NULL;
    if (options_read(&verb_list, count, words, &options, &error) != 0)
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
               reference_note(plugin, impl), absent ? "; not available: " : "", absent ? absent : "");
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
    if (options_read(&verb_describe, count, words, &options, &error) != 0)
        return report(&error);
    if (options.help)
        return finish_stdout(STATUS_DONE);
    int status = STATUS_DONE;
    if (options_registry(&options, &registry, &error) != 0 ||
        registry_find(registry, options.words[0], &plugin, &error) != 0)
        status = report(&error);
    else if (options.json)
        print_json(plugin_json(plugin));
    else
        describe_plugin(plugin);
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
const struct verb verb_describe = {
    .name = "describe",
    .summary = "tells all about one plugin",
    .words = "PLUGIN",
    .least = 1,
    .most = 1,
    .options = OPTION_JSON,
    .help = describe_help,
    .run = describe,
};
