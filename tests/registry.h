/* A registry for tests, with a context that discards messages. */
#ifndef TESTS_REGISTRY_H
#define TESTS_REGISTRY_H

#include "base/context.h"
#include "base/modules.h"
#include "memory/devices.h"
#include "modules.h"
#include "plugin/registry.h"

#include <stdio.h>
#include <stdlib.h>

/* Opens a registry that searches `count` folders, and then those of `path`, which are separated by colons. */
static inline int open_registry_of(const char *const *folders, uint32_t count, const char *path,
                                   struct registry **registry, struct engine_error *error)
{
    static struct context context; /* registries keep a pointer to it */
    context.hooks = (struct engine_hooks){
        .size = sizeof context.hooks, .plugin_folder_count = count, .plugin_folders = folders, .plugin_path = path};
    context.modules = &engine_modules;
    if (!context.devices && devices_open(&context, context.modules->devices, error) != 0)
        return error->status;
    return registry_open(&context, registry, error);
}

/* Opens a registry of the plugins that this build has made. */
static inline int open_built_plugins(struct registry **registry, struct engine_error *error)
{
    char folder[4096];
    const char *const build = getenv("BUILD"), *const folders[] = {folder};
    snprintf(folder, sizeof folder, "%s/plugins", build ? build : "build");
    return open_registry_of(folders, 1, NULL, registry, error);
}

#endif
