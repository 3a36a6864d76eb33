#include "judge/promise.h"

struct promise promise_of(const struct engine_impl *reference, const struct engine_impl *impl,
                          const struct engine_impl *first_exact)
{
    struct promise promise = {.oracle = impl == reference ? NULL : reference, .tolerance = impl->tolerance};
    if (!(impl->flags & ENGINE_EXACT) || reference->flags & ENGINE_EXACT)
        return promise;
    if (impl == first_exact)
        promise.tolerance = reference->tolerance;
    else
        promise.oracle = first_exact;
    return promise;
}
