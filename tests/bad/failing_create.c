/* create fails. */
#define NAME   "failing_create"
#define CREATE failing_create
#include "base.h"

static int failing_create(const struct engine_call *call, void **self)
{
    *self = NULL;
    return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "no room for 7 beads");
}

PLUGIN
