/* engine_plugin_json. */
#include "base/numeric.h"
#include "files/json.h"
#include "report/describe.h"

int engine_plugin_json(struct engine_context *context, const char *name, char **text, struct engine_error *error)
{
    API_NUMBERS;
    struct engine_plugin_info plugin = {.size = sizeof plugin};
    struct engine_error ignored;
    *text = NULL;
    if (name)
        return engine_plugin_find(context, name, &plugin, error) != 0
                   ? error->status
                   : json_take_lines(describe_json(context, &plugin), text, error);
    struct json_object *all = json_new_array();
    for (uint32_t i = 0; (name = engine_plugin_name(context, i)); i++)
        if (engine_plugin_find(context, name, &plugin, &ignored) == 0)
            json_append(all, describe_json(context, &plugin));
    return json_take_lines(all, text, error);
}
