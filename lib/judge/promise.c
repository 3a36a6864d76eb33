#include "judge/promise.h"

struct promise promise_of(const struct plugin *plugin, const struct engine_impl *impl,
                          const struct engine_impl *first_exact)
{
    const struct engine_impl *reference = plugin_reference(plugin);
    struct promise promise = {.oracle = impl == reference ? NULL : reference, .tolerance = impl->tolerance};
    if (!(impl->flags & ENGINE_EXACT) || reference->flags & ENGINE_EXACT)
        return promise;
    if (impl == first_exact)
        promise.tolerance = reference->tolerance;
    else
        promise.oracle = first_exact;
    return promise;
}
