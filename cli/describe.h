/* Parts of descriptions of plugins, which several verbs print. */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include <engine/engine.h>
#include <stdbool.h>

/* Returns " (the reference)" if the implementation is the reference and its help does not say so; otherwise "". */
const char *describe_reference(const struct engine_plugin_info *plugin, const struct engine_impl *impl);

/* Returns "; fast with dead edges", or what other edges the implementation honours itself, in any number of steps a call;
 * otherwise "". */
const char *describe_edges(const struct engine_impl *impl);

/* Writes the choices of a parameter, as in "one of auto, plain, pairs". */
void describe_choices(const struct engine_param *param, char *text, size_t size);

#endif
