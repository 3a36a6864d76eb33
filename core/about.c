#include "about.h"
#include "device/device.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

const char *about_kind(uint32_t kind)
{
    static const char *const names[] = {"grid", "particles", "matrix", "bins"};
    return names[kind];
}

const char *about_role(uint32_t role)
{
    static const char *const names[] = {"state", "input", "output"};
    return names[role];
}

const char *about_absence(const struct engine_impl *impl, struct error *error)
{
    struct device *device;
    if (!impl->advance)
        return "not compiled into this build";
    return device_find(impl->memory, 0, &device, error) == 0 ? NULL : error->text;
}

const char *about_reference(const struct plugin *plugin, const struct engine_impl *impl)
{
    const bool says_so = impl->help && impl->advance && strstr(impl->help, "the reference");
    return impl == plugin_reference(plugin) && !says_so ? " (the reference)" : "";
}

/* ---- For programs ------------------------------------------------------------------------------------------- */

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
        const char *absent = about_absence(impl, &error);
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

/* Numbers have a range, words their choices. */
static void add_range(struct json_object *json, const struct engine_param *param)
{
    if (param->type == ENGINE_PARAM_CHOICE) {
        struct json_object *choices = json_object_new_array();
        for (uint32_t i = 0; param->choices[i]; i++)
            json_object_array_add(choices, string(param->choices[i]));
        json_object_object_add(json, "choices", choices);
    } else if (param->type <= ENGINE_PARAM_REAL && param->min < param->max) {
        json_object_object_add(json, "min", json_object_new_double(param->min));
        json_object_object_add(json, "max", json_object_new_double(param->max));
    }
}

static struct json_object *params_json(const struct plugin *plugin)
{
    static const char *const types[] = {
        [ENGINE_PARAM_INTEGER] = "integer", [ENGINE_PARAM_REAL] = "real",     [ENGINE_PARAM_FLAG] = "flag",
        [ENGINE_PARAM_TEXT] = "text",       [ENGINE_PARAM_CHOICE] = "choice",
    };
    struct json_object *array = json_object_new_array();
    for (uint32_t i = 0; i < plugin->about.params.count; i++) {
        const struct engine_param *param = &plugin->about.params.at[i];
        struct json_object *json = json_object_new_object();
        json_object_object_add(json, "name", string(param->name));
        json_object_object_add(json, "help", string(param->help));
        json_object_object_add(json, "type", string(types[param->type]));
        json_object_object_add(json, "unit", string(param->unit));
        json_object_object_add(json, "default", string(param->initial));
        json_object_object_add(json, "tuning", json_object_new_boolean((param->flags & ENGINE_PARAM_TUNING) != 0));
        add_range(json, param);
        json_object_array_add(array, json);
    }
    return array;
}

static struct json_object *fields_json(const struct plugin *plugin)
{
    struct json_object *array = json_object_new_array();
    for (uint32_t i = 0; i < plugin->about.fields.count; i++) {
        const struct engine_field *field = &plugin->about.fields.at[i];
        struct json_object *json = json_object_new_object();
        json_object_object_add(json, "name", string(field->name));
        json_object_object_add(json, "help", string(field->help));
        json_object_object_add(json, "role", string(about_role(field->role)));
        json_object_object_add(json, "kind", string(about_kind(field->kind)));
        json_object_object_add(json, "type", field->type == ENGINE_CONFIGURED ? NULL : string(type_name(field->type)));
        json_object_object_add(json, "components", json_object_new_int64(field->components));
        json_object_array_add(array, json);
    }
    return array;
}

static struct json_object *metrics_json(const struct plugin *plugin)
{
    struct json_object *array = json_object_new_array();
    for (uint32_t i = 0; i < plugin->about.metrics.count; i++) {
        const struct engine_metric *metric = &plugin->about.metrics.at[i];
        struct json_object *json = json_object_new_object();
        json_object_object_add(json, "name", string(metric->name));
        json_object_object_add(json, "unit", string(metric->unit));
        json_object_object_add(json, "help", string(metric->help));
        json_object_array_add(array, json);
    }
    return array;
}

struct json_object *about_json(const struct plugin *plugin)
{
    struct json_object *json = json_object_new_object();
    json_object_object_add(json, "name", string(plugin->about.name));
    json_object_object_add(json, "version", string(plugin->about.version));
    json_object_object_add(json, "summary", string(plugin->about.summary));
    json_object_object_add(json, "file", string(plugin->path));
    json_object_object_add(json, "fields", fields_json(plugin));
    json_object_object_add(json, "parameters", params_json(plugin));
    json_object_object_add(json, "metrics", metrics_json(plugin));
    json_object_object_add(json, "implementations", impls_json(plugin));
    return json;
}

void about_print_json(struct json_object *json)
{
    printf("%s\n", json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
    json_object_put(json);
}
