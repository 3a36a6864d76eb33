/* The functions of engine.h that describe plugins. */
#include "api/handles.h"
#include "files/json.h"
#include "report/describe.h"

const char *engine_impl_missing(struct engine_context *context, const struct engine_impl *impl,
                                struct engine_error *error)
{
    API_NUMBERS;
    return describe_absence(&context->context, impl, error);
}

int engine_plugin_json(struct engine_context *context, const char *name, char **text, struct engine_error *error)
{
    API_NUMBERS;
    const struct plugin *plugin;
    struct engine_error ignored;
    *text = NULL;
    if (name)
        return registry_find(context->registry, name, &plugin, error) != 0
                   ? error->status
                   : json_take_lines(describe_json(&context->context, plugin), text, error);
    struct json_object *all = json_new_array();
    for (uint32_t i = 0; (name = registry_name_at(context->registry, i)); i++)
        if (registry_find(context->registry, name, &plugin, &ignored) == 0)
            json_append(all, describe_json(&context->context, plugin));
    return json_take_lines(all, text, error);
}
