/* The third step fails and destroys both buffers of the state. */
#define NAME    "losing_advance"
#define ADVANCE losing_advance
#include "base.h"
#include <string.h>

static int losing_advance(void *self, struct engine_call *call)
{
    const struct engine_buffer *cells = engine_field_buffer(call, 0);
    if (call->first_step + call->steps < 3)
        return base_advance(self, call);
    memset(cells->origin[call->current], 1, (size_t) cells->shape->extent[0]);
    return ENGINE_FAIL(call->host, -ENGINE_DEVICE, "the beads fell off at step 3");
}

PLUGIN
