/* Promises so little that everything keeps the promise. */
#include "real.h"

static int stay(void *self, struct engine_call *call)
{
    (void) self;
    call->result = call->current;
    return ENGINE_OK;
}

#undef TOLERANCE
#define TOLERANCE 1
REAL_CHEAT("loose", stay);
