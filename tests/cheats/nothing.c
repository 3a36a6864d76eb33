/* Gives NaN for every number, which compares as false with everything (pygpubench, pull request 7). */
#include "real.h"

static int give_nothing(void *self, struct engine_call *call)
{
    (void) self;
    for (uint64_t i = 0; i < real_count(call); i++)
        reals_to(call)[i] = __builtin_nan("");
    return ENGINE_OK;
}

REAL_CHEAT("nothing", give_nothing);
