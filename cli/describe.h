/* Words about plugins that several verbs print. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include <engine/engine.h>
#include <stdbool.h>

/* " (the reference)" behind the help of the implementation that is the reference, unless its help says so; or "". */
const char *describe_reference(const struct engine_plugin_info *plugin, const struct engine_impl *impl);

/* "one of auto, plain, pairs": the choices of a parameter. */
void describe_choices(const struct engine_param *param, char *text, size_t size);

#endif
