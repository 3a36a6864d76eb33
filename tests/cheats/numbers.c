/* Honest: the problem that the dishonest plugins of this folder are given. `jump` finds the numbers after n steps with
 * about log n multiplications, which is no cheat. */
#include "cheat.h"

static int jump(void *self, struct engine_call *call)
{
    uint64_t factor = 1, sum = 0, power = 6364136223846793005u, term = 1442695040888963407u;
    (void) self;
    for (uint64_t steps = call->steps; steps > 0; steps /= 2) {
        if (steps % 2) {
            factor *= power;
            sum = sum * power + term;
        }
        term *= power + 1;
        power *= power;
    }
    for (uint64_t i = 0; i < number_count(call); i++)
        numbers_to(call)[i] = numbers_from(call)[i] * factor + sum;
    return ENGINE_OK;
}

CHEAT("numbers", .advance = jump);
