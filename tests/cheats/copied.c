/* Copies the result that another instance of the reference has computed in this process. */
#include "cheat.h"

static const uint64_t *right;
static uint64_t right_steps;

static int reference(void *self, struct engine_call *call)
{
    take_honestly(self, call);
    right = numbers_to(call);
    right_steps = call->steps;
    return ENGINE_OK;
}

static int advance(void *self, struct engine_call *call)
{
    if (right && is_long(call) && right_steps == call->steps)
        memcpy(numbers_to(call), right, number_count(call) * sizeof(uint64_t));
    else
        take_honestly(self, call);
    return ENGINE_OK;
}

#define take_honestly reference
CHEAT("copied", .advance = advance);
