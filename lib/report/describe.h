/* Describes a plugin as JSON, for programs. */
#ifndef LIB_REPORT_DESCRIBE_H
#define LIB_REPORT_DESCRIBE_H

#include <engine/engine.h>

struct json_object;

/* Describes a plugin as a JSON object, for json_take_lines. */
struct json_object *describe_json(struct engine_context *context, const struct engine_plugin_info *plugin);

#endif
