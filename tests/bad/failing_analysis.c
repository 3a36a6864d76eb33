/* An analysis of the cells of a grid. create fails. */
#include <engine/plugin.h>

static const struct engine_field fields[] = {
    {.name = "cells", .help = "0 or 1", .role = ENGINE_INPUT, .components = 1, .rank = 2, .values = 2},
};

static int create(const struct engine_call *call, void **self)
{
    *self = NULL;
    return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "no room for 7 beads");
}

static int advance(void *self, struct engine_call *call)
{
    (void) self, (void) call;
    return ENGINE_OK;
}

static const struct engine_impl impls[] = {
    {.name = "cpu", .help = "none", .flags = ENGINE_EXACT | ENGINE_REFERENCE, .create = create, .advance = advance},
};

const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "failing_analysis",
    .version = "1.0",
    .summary = "looks at cells",
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
};
