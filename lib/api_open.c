/* The functions of engine.h that know all modules: a context of libengine has them. */
#include "api/handles.h"
#include "base/modules.h"
#include "config/keys.h"
#include "modules.h"
#include "plugin/plugin.h"

#include <omp.h>
#include <pthread.h>

int engine_open(const struct engine_hooks *hooks, struct engine_context **context, struct engine_error *error)
{
    return api_open(hooks, &engine_modules, context, error);
}

/* A child process does not have the threads that OpenMP keeps for the thread that forks, and gcc's OpenMP would wait for
 * them. So they end before a fork, and start again when they are needed. */
static void end_openmp_threads(void)
{
    omp_pause_resource_all(omp_pause_soft);
}

__attribute__((constructor)) static void prepare_for_forks(void)
{
    pthread_atfork(end_openmp_threads, NULL, NULL);
}

static const struct context all = {.modules = &engine_modules};

const struct engine_section *engine_section_at(uint32_t index)
{
    return keys_section_at(&all, index);
}

uint32_t engine_key_flags(const struct engine_plugin *about, const char *section, const char *key)
{
    return plugin_key_flags(&all, about, section, key);
}
