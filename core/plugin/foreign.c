#include "plugin/foreign.h"
#include "base/numeric.h"

struct foreign foreign_begin(const struct context *context, const char *plugin, const char *function)
{
    context_enter(context, plugin, function);
    return (struct foreign){context, uselocale((locale_t) 0)};
}

void foreign_end(const struct foreign *call)
{
    numeric_reset();
    uselocale(call->locale);
    context_leave(call->context);
}
