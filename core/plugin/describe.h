/* A plugin described for programs, as JSON. */
#ifndef CORE_PLUGIN_DESCRIBE_H
#define CORE_PLUGIN_DESCRIBE_H

#include "plugin/plugin.h"

struct json_object;

/* Why an implementation cannot run on this machine, whatever the configuration; NULL: it can. The text may lie in
 * *error. */
const char *describe_absence(const struct engine_impl *impl, struct engine_error *error);

/* Everything about a plugin as an object, to be taken by json_take_lines. */
struct json_object *describe_json(const struct plugin *plugin);

#endif
