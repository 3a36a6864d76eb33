/* Contexts of the plugins that this build has made, and their runs, for tests of the library. */
#ifndef TESTS_LIBRARY_RUNS_H
#define TESTS_LIBRARY_RUNS_H

#include <engine/engine.h>

#include <stdio.h>
#include <stdlib.h>

/* Opens a context. `hooks` has the other members that the caller wants. */
static inline int open_built_context(struct engine_hooks hooks, struct engine_context **context,
                                     struct engine_error *error)
{
    char plugins[4096];
    const char *const build = getenv("BUILD"), *const folders[] = {plugins};
    snprintf(plugins, sizeof plugins, "%s/plugins", build ? build : "build");
    hooks.size = sizeof hooks;
    hooks.plugin_folder_count = 1;
    hooks.plugin_folders = folders;
    return engine_open(&hooks, context, error);
}

/* Starts a run. The settings end with NULL. */
static inline int start_run(struct engine_context *context, const char *const *settings, struct engine_config **config,
                            struct engine_run **run, struct engine_error *error)
{
    int status = engine_config_open(context, NULL, config, error);
    for (size_t i = 0; status == 0 && settings[i]; i++)
        status = engine_config_set(*config, settings[i], error);
    if (status == 0)
        status = engine_run_plan(*config, run, error);
    return status == 0 ? engine_run_start(*run, error) : status;
}

/* The implementation that is tested: that of the variable TEST_IMPLEMENTATION, as tools/check-gpu sets it, or cpu. */
static inline const char *tested_implementation(void)
{
    const char *given = getenv("TEST_IMPLEMENTATION");
    return given ? given : "cpu";
}

/* Closes `count` runs with their configurations, and then the context. */
static inline void close_all(struct engine_context *context, struct engine_config **config, struct engine_run **run,
                             int count)
{
    for (int i = 0; i < count; i++) {
        engine_run_close(run[i]);
        engine_config_close(config[i]);
    }
    engine_close(context);
}

#endif
