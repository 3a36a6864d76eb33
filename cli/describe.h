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

/* Prints a key or a parameter with its default, and from `column` on what it means, its range and its unit. */
void describe_param(const struct engine_param *param, int column);

#endif
