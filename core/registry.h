/* Finds plugins by name along the search path: folders given on the command line, ENGINE_PLUGIN_PATH (separated by
 * colons), `plugins` beside the program, and where `make install` puts them: `../lib/engine/plugins` from the program,
 * unless LIBDIR said otherwise. */
#ifndef CORE_REGISTRY_H
#define CORE_REGISTRY_H

#include "loader.h"

struct registry;

/* folders: `count` paths searched first, in order. */
int registry_open(const char *const *folders, uint32_t count, struct registry **registry, struct error *error);
void registry_close(struct registry *registry); /* frees its plugins */

/* The plugin of that name, loaded; the first folder that has `<name>.so` counts. A name is letters, digits, '-' and
 * '_', never a path. STATUS_PLUGIN, with the folders searched and the nearest name. The registry owns it. */
int registry_find(struct registry *registry, const char *name, const struct plugin **plugin, struct error *error);

/* Names of all plugins on the path, sorted, each once; NULL after the last. Files are not loaded. */
const char *registry_name_at(const struct registry *registry, uint32_t index);

#endif
