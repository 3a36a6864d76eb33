/* Leaves out half of the steps of long calls, whose ends nobody has compared so far. */
#include "cheat.h"

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    take_steps(numbers_from(call), numbers_to(call), number_count(call), is_long(call) ? call->steps / 2 : call->steps);
    return ENGINE_OK;
}

CHEAT("skips", .advance = advance);
