/* Writes to address 0 in the third step. */
#define NAME    "crashing"
#define ADVANCE crashing_advance
#include "base.h"

static int crashing_advance(void *self, struct engine_call *call)
{
    volatile int *volatile nowhere = (volatile int *) sizeof(int); /* what UndefinedBehaviorSanitizer lets pass */
    if (call->first_step + call->steps >= 3)
        *nowhere = 1;
    return base_advance(self, call);
}

PLUGIN
