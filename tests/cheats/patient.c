/* Works as long as the reference can follow it, and takes one step in place of many where it cannot. */
#include "cheat.h"

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    take_steps(numbers_from(call), numbers_to(call), number_count(call),
               call->steps < 100000000000 ? call->steps : call->steps / 100000);
    return ENGINE_OK;
}

CHEAT("patient", .advance = advance);
