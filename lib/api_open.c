/* The functions of engine.h that know all modules: a context of libengine has them. */
#include "api/handles.h"
#include "base/modules.h"
#include "config/keys.h"
#include "modules.h"
#include "plugin/plugin.h"

int engine_open(const struct engine_hooks *hooks, struct engine_context **context, struct engine_error *error)
{
    return api_open(hooks, &engine_modules, context, error);
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
