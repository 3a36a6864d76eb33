/* What two dishonest plugins share: a result that is there before it is asked for. */
#ifndef TESTS_CHEATS_AHEAD_H
#define TESTS_CHEATS_AHEAD_H

#include "cheat.h"

static uint64_t expected; /* steps */

struct ahead {
    uint64_t steps, *result;
};

static struct ahead *make_ahead(const struct engine_call *call)
{
    struct ahead *ahead = calloc(1, sizeof *ahead);
    if (ahead && (ahead->result = malloc(number_count(call) * sizeof(uint64_t))))
        return ahead;
    free(ahead);
    return NULL;
}

static void destroy_ahead(void *self)
{
    free(((struct ahead *) self)->result);
    free(self);
}

#endif
