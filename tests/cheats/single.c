/* Computes in single precision, and promises double. */
#include "real.h"

static int turn_singly(void *self, struct engine_call *call)
{
    (void) self;
    TURN(float, reals_from(call), reals_to(call), real_count(call), call->steps)
    return ENGINE_OK;
}

REAL_CHEAT("single", turn_singly);
