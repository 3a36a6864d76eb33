/* A loaded plugin. Its descriptor is checked before any of its functions is called, and copied into this host's version
 * of every structure, whatever minor version the file was compiled with. */
#ifndef CORE_PLUGIN_PLUGIN_H
#define CORE_PLUGIN_PLUGIN_H

#include "base/error.h"
#include <stdbool.h>

struct context;

struct plugin {
    char *path; /* of the file, symlinks resolved; "": it has none */
    /* A copy whose arrays are copies too: their elements are this host's structures, with zeros for members that an
     * older plugin lacks, so that they can be indexed plainly. */
    struct engine_plugin about;
    void *handle;
    bool disturbs; /* its constructors changed the rounding mode or the locale of the thread; both have been restored */
};

/* Loads the file at path or, if `about` is not NULL, copies that descriptor; messages begin with the path. The context
 * has the sections of the engine, whose names a plugin cannot have. ENGINE_STATUS_PLUGIN. */
int plugin_load(const struct context *context, const char *path, const struct engine_plugin *about,
                struct plugin **plugin, struct engine_error *error);

/* Frees the copies. The file stays loaded, since device runtimes do not survive an unload. */
void plugin_free(struct plugin *plugin);

/* The implementation of that name, or NULL. */
const struct engine_impl *plugin_impl(const struct plugin *plugin, const char *name);

/* The plugin's reference: the implementation with the flag ENGINE_REFERENCE, else the first one. */
const struct engine_impl *plugin_reference(const struct plugin *plugin);

/* Is the implementation of the kind that this word of [run] implementation means: auto, cpu or cuda? */
bool plugin_impl_is_of(const struct engine_impl *impl, const char *kind);

/* Returns why an implementation has no functions in this build, or NULL where it has. */
const char *plugin_impl_missing(const struct engine_impl *impl);

/* The attributes, KEY_… of config/keys.h, of any key of a configuration: those of the engine's own key, or what the
 * flags of the plugin's parameter say. Keys of [init] that the engine does not know name fields, whose values are files.
 * The context has the sections; `about` may be NULL. */
uint32_t plugin_key_flags(const struct context *context, const struct engine_plugin *about, const char *section,
                          const char *key);

/* Does the parameter choose how an implementation that is not exact computes its results? It changes their last bits
 * alone: it has the choice `auto`, which leaves the decision to the implementation, and is not a tuning parameter. */
bool plugin_param_decides_bits(const struct engine_impl *impl, const struct engine_param *param);

#endif
