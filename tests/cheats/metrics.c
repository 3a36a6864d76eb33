/* Computes what a report shows, the first number, and leaves all others as they are. */
#include "cheat.h"

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    memcpy(numbers_to(call), numbers_from(call), number_count(call) * sizeof(uint64_t));
    take_steps(numbers_from(call), numbers_to(call), 1, call->steps);
    return ENGINE_OK;
}

CHEAT("metrics", .advance = advance);
