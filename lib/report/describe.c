#include "report/describe.h"
#include "base/type.h"
#include "files/json.h"

static struct json_object *impls_json(struct engine_context *context, const struct engine_plugin_info *plugin)
{
    struct json_object *array = json_new_array();
    for (uint32_t i = 0; i < plugin->about->impls.count; i++) {
        const struct engine_impl *impl = &plugin->about->impls.at[i];
        struct json_object *json = json_new_object();
        struct engine_error error;
        const char *absent = engine_impl_missing(context, impl, &error);
        json_add(json, "name", json_new_text(impl->name));
        json_add(json, "help", json_new_text(impl->help));
        json_add(json, "rank", json_new_integer(impl->rank));
        json_add(json, "exact", json_new_flag((impl->flags & ENGINE_EXACT) != 0));
        json_add(json, "reference", json_new_flag(impl == plugin->reference));
        json_add(json, "available", json_new_flag(!absent));
        json_add(json, "reason", json_new_text(absent));
        json_append(array, json);
    }
    return array;
}

/* Adds the range of a number, or the words of a choice. */
static void add_range(struct json_object *json, const struct engine_param *param)
{
    if (param->type == ENGINE_PARAM_CHOICE) {
        struct json_object *choices = json_new_array();
        for (uint32_t i = 0; param->choices[i]; i++)
            json_append(choices, json_new_text(param->choices[i]));
        json_add(json, "choices", choices);
    } else if (param->type <= ENGINE_PARAM_REAL && param->min < param->max) {
        json_add(json, "min", json_new_real(param->min));
        json_add(json, "max", json_new_real(param->max));
    }
}

static struct json_object *params_json(const struct engine_plugin *plugin)
{
    static const char *const types[] = {
        [ENGINE_PARAM_INTEGER] = "integer", [ENGINE_PARAM_REAL] = "real",     [ENGINE_PARAM_FLAG] = "flag",
        [ENGINE_PARAM_TEXT] = "text",       [ENGINE_PARAM_CHOICE] = "choice",
    };
    struct json_object *array = json_new_array();
    for (uint32_t i = 0; i < plugin->params.count; i++) {
        const struct engine_param *param = &plugin->params.at[i];
        struct json_object *json = json_new_object();
        json_add(json, "name", json_new_text(param->name));
        json_add(json, "help", json_new_text(param->help));
        json_add(json, "type", json_new_text(types[param->type]));
        json_add(json, "unit", json_new_text(param->unit));
        json_add(json, "default", json_new_text(param->initial));
        json_add(json, "tuning", json_new_flag((param->flags & ENGINE_PARAM_TUNING) != 0));
        add_range(json, param);
        json_append(array, json);
    }
    return array;
}

static struct json_object *fields_json(const struct engine_plugin *plugin)
{
    static const char *const roles[] = {"state", "input", "output"};
    static const char *const kinds[] = {"grid", "particles", "matrix", "bins"};
    struct json_object *array = json_new_array();
    for (uint32_t i = 0; i < plugin->fields.count; i++) {
        const struct engine_field *field = &plugin->fields.at[i];
        struct json_object *json = json_new_object();
        json_add(json, "name", json_new_text(field->name));
        json_add(json, "help", json_new_text(field->help));
        json_add(json, "role", json_new_text(roles[field->role]));
        json_add(json, "kind", json_new_text(kinds[field->kind]));
        json_add(json, "type", field->type == ENGINE_CONFIGURED ? NULL : json_new_text(type_name(field->type)));
        json_add(json, "components", json_new_integer(field->components));
        json_append(array, json);
    }
    return array;
}

static struct json_object *metrics_json(const struct engine_plugin *plugin)
{
    struct json_object *array = json_new_array();
    for (uint32_t i = 0; i < plugin->metrics.count; i++) {
        const struct engine_metric *metric = &plugin->metrics.at[i];
        struct json_object *json = json_new_object();
        json_add(json, "name", json_new_text(metric->name));
        json_add(json, "unit", json_new_text(metric->unit));
        json_add(json, "help", json_new_text(metric->help));
        json_append(array, json);
    }
    return array;
}

struct json_object *describe_json(struct engine_context *context, const struct engine_plugin_info *plugin)
{
    struct json_object *json = json_new_object();
    json_add(json, "name", json_new_text(plugin->about->name));
    json_add(json, "version", json_new_text(plugin->about->version));
    json_add(json, "summary", json_new_text(plugin->about->summary));
    json_add(json, "file", json_new_text(plugin->path));
    json_add(json, "fields", fields_json(plugin->about));
    json_add(json, "parameters", params_json(plugin->about));
    json_add(json, "metrics", metrics_json(plugin->about));
    json_add(json, "implementations", impls_json(context, plugin));
    return json;
}
