/* Finds plugins by name along the search path: the folders and the path of the context's hooks, then `plugins` beside
 * the library or the program, then the folder where `make install` puts plugins. */
#ifndef CORE_PLUGIN_REGISTRY_H
#define CORE_PLUGIN_REGISTRY_H

#include "plugin/plugin.h"

struct context;
struct registry;

/* The hooks of the context name the folders that are searched first. The context outlives the registry. */
int registry_open(const struct context *context, struct registry **registry, struct engine_error *error);
void registry_close(struct registry *registry); /* frees its plugins */

const struct context *registry_context(const struct registry *registry);

/* The plugin of that name, loaded; the first folder that has `<name>.so` counts. A name is letters, digits, '-' and
 * '_', never a path. ENGINE_STATUS_PLUGIN, with the folders searched and the nearest name. The registry owns it. */
int registry_find(struct registry *registry, const char *name, const struct plugin **plugin,
                  struct engine_error *error);

/* Names of all plugins on the path, sorted, each once; NULL after the last. Files are not loaded. */
const char *registry_name_at(const struct registry *registry, uint32_t index);

#endif
