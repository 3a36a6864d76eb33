/* Works in every third long call, so that one repeat is right and the median is not. */
#include "real.h"

static int turn_sometimes(void *self, struct engine_call *call)
{
    static int calls;
    if (call->steps < 1000 || ++calls % 3 == 0)
        return turn(self, call);
    call->result = call->current;
    return ENGINE_OK;
}

REAL_CHEAT("sometimes", turn_sometimes);
