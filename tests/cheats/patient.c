/* Works as long as the reference could follow it, and takes one step in place of a billion. */
#include "cheat.h"

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    take_steps(numbers_from(call), numbers_to(call), number_count(call),
               call->steps < 5000000 ? call->steps : call->steps / 100);
    return ENGINE_OK;
}

CHEAT("patient", .advance = advance);
