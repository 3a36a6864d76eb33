/* Finds plugins by name. These folders are searched in order: those that the context's hooks give, that of
 * registry_open_with, those of the hooks' path, then `plugins` beside the library or the program, then the folder where
 * `make install` puts plugins. */
#ifndef CORE_PLUGIN_REGISTRY_H
#define CORE_PLUGIN_REGISTRY_H

#include "plugin/plugin.h"

struct context;
struct registry;

/* What follows the name of a file format in the name of its file. No plugin can have such a name. */
#define REGISTRY_FORMAT_ENDING ".format.so"

/* Opens a registry. The context outlives it. ENGINE_STATUS_USAGE where a folder that the hooks give does not exist. */
int registry_open(const struct context *context, struct registry **registry, struct engine_error *error);
void registry_close(struct registry *registry); /* frees its plugins */

/* Opens a registry of a context that also searches a folder. The plugins that it loads belong to `keeper`, which
 * outlives it. ENGINE_STATUS_USAGE where the folder does not exist. */
int registry_open_with(const struct context *context, const char *folder, struct registry *keeper,
                       struct registry **registry, struct engine_error *error);

const struct context *registry_context(const struct registry *registry);

/* Finds the plugin of that name: the newest descriptor that registry_load has copied, or else `<name>.so` in the first
 * folder that has it, which the function loads once. ENGINE_STATUS_PLUGIN, with the folders searched and the nearest
 * name. */
int registry_find(struct registry *registry, const char *name, const struct plugin **plugin,
                  struct engine_error *error);

/* Loads the file at path or, if `about` is not NULL, copies this descriptor, which registry_find then finds first. */
int registry_load(struct registry *keeper, const char *name, const char *path, const struct engine_plugin *about,
                  const struct plugin **plugin, struct engine_error *error);

/* The names of all plugins in these folders, sorted, each once, and then those of the copied descriptors; NULL after
 * the last. */
const char *registry_name_at(const struct registry *registry, uint32_t index);

/* The names of all file formats in these folders, sorted, each once; NULL after the last. */
const char *registry_format_at(const struct registry *registry, uint32_t index);

/* Finds the file of the format of that name in the first folder that has one. ENGINE_STATUS_PLUGIN: none has it, or the
 * error of a file that cannot be looked up. */
enum { REGISTRY_PATH = 8192 };
int registry_format_file(const struct registry *registry, const char *name, char path[REGISTRY_PATH],
                         struct engine_error *error);

#endif
