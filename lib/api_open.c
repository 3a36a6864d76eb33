/* The functions of engine.h that know all modules: a context of libengine has them. */
#include "api/handles.h"
#include "base/modules.h"
#include "config/keys.h"
#include "modules.h"

int engine_open(const struct engine_hooks *hooks, struct engine_context **context, struct engine_error *error)
{
    return api_open(hooks, &engine_modules, context, error);
}

const struct engine_section *engine_section_at(uint32_t index)
{
    static const struct context all = {.modules = &engine_modules};
    return keys_section_at(&all, index);
}
