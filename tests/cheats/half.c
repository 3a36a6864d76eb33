/* Computes with half of the bits. */
#include "cheat.h"

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    for (uint64_t i = 0; i < number_count(call); i++) {
        uint32_t value = (uint32_t) numbers_from(call)[i];
        for (uint64_t step = 0; step < call->steps; step++)
            value = value * 1284865837u + 4150755663u;
        numbers_to(call)[i] = value;
    }
    return ENGINE_OK;
}

CHEAT("half", .advance = advance);
