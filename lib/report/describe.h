/* Describes a plugin as JSON, for programs. */
#ifndef LIB_REPORT_DESCRIBE_H
#define LIB_REPORT_DESCRIBE_H

#include "plugin/plugin.h"

struct context;
struct json_object;

/* Returns why an implementation cannot run on this machine, whatever the configuration, or NULL where it can. The text
 * may lie in *error. */
const char *describe_absence(const struct context *context, const struct engine_impl *impl, struct engine_error *error);

/* Describes a plugin as a JSON object, for json_take_lines. */
struct json_object *describe_json(const struct context *context, const struct plugin *plugin);

#endif
