/* The third step fails and leaves the state unchanged. */
#define NAME    "failing_advance"
#define ADVANCE failing_advance
#include "base.h"

static int failing_advance(void *self, struct engine_call *call)
{
    if (call->first_step + call->steps >= 3)
        return ENGINE_FAIL(call->host, ENGINE_DEVICE, "a bead is stuck at step 3");
    return base_advance(self, call);
}

PLUGIN
