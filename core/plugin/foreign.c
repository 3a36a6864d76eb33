#include "plugin/foreign.h"
#include "base/numeric.h"

struct foreign foreign_begin(const struct context *context, const char *plugin, const char *function)
{
    context_enter(context, plugin, function);
    return (struct foreign){context, uselocale((locale_t) 0)};
}

bool foreign_end(const struct foreign *call)
{
    const bool rounds = fegetround() != FE_TONEAREST;
    numeric_reset();
    const bool prints = uselocale(call->locale) != call->locale;
    context_leave(call->context);
    return rounds || prints;
}
