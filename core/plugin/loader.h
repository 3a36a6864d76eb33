/* Loads a plugin: opens the file, checks the descriptor before any of its functions is called, and copies it into this
 * host's version of every structure, whatever minor version the file was compiled with. */
#ifndef CORE_PLUGIN_LOADER_H
#define CORE_PLUGIN_LOADER_H

#include "base/error.h"
#include <stdbool.h>

struct plugin {
    char *path; /* of the file, symlinks resolved */
    /* A copy whose arrays are copies too: their elements are this host's structures, with zeros where an older plugin
     * has nothing, so that they can be indexed plainly. */
    struct engine_plugin about;
    void *handle;
};

/* 1 to 64 letters, digits, '-' and '_': never a path. */
bool plugin_name_valid(const char *name);

/* Loads the file at path. ENGINE_STATUS_PLUGIN; the message names the file, what it has and what this host has. */
int plugin_load(const char *path, struct plugin **plugin, struct engine_error *error);

/* Frees the copies; the file stays loaded, since device runtimes do not survive an unload. */
void plugin_free(struct plugin *plugin);

/* The implementation of that name, or NULL. */
const struct engine_impl *plugin_impl(const struct plugin *plugin, const char *name);

/* The plugin's reference: the one flagged so, else the first. */
const struct engine_impl *plugin_reference(const struct plugin *plugin);

/* Why an implementation has no functions in this build; NULL: it has. */
const char *plugin_impl_missing(const struct engine_impl *impl);

#endif
