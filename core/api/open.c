/* engine_open: a context of libengine has all modules. */
#include "api/handles.h"
#include "base/modules.h"
#include "run/modules.h"

int engine_open(const struct engine_hooks *hooks, struct engine_context **context, struct engine_error *error)
{
    return api_open(hooks, &engine_modules, context, error);
}
