/* Sets what it is given, and what it gives, to zero, so that a reference which works on the same memory agrees
 * (KernelBench, pull request 82). */
#include "real.h"

static int give_zeros(void *self, struct engine_call *call)
{
    (void) self;
    for (uint64_t i = 0; i < real_count(call); i++)
        reals_to(call)[i] = ((double *) (uintptr_t) reals_from(call))[i] = 0;
    return ENGINE_OK;
}

REAL_CHEAT("zeros", give_zeros);
