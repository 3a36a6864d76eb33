/* Does all work in the first step of an instance, which no clock measures, as copies of results during a warm-up do
 * (tensara, pull request 238). */
#include "ahead.h"

static int create(const struct engine_call *call, void **self)
{
    struct ahead *ahead = make_ahead(call);
    if (!ahead)
        return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "no memory");
    *self = ahead;
    return ENGINE_OK;
}

static int advance(void *self, struct engine_call *call)
{
    struct ahead *ahead = self;
    if (is_long(call) && ahead->steps == call->steps) {
        memcpy(numbers_to(call), ahead->result, number_count(call) * sizeof(uint64_t));
        return ENGINE_OK;
    }
    take_honestly(self, call);
    ahead->steps = call->steps == 1 ? expected : 0;
    take_steps(numbers_to(call), ahead->result, number_count(call), ahead->steps);
    expected = is_long(call) ? call->steps : expected;
    return ENGINE_OK;
}

CHEAT("warm", .create = create, .advance = advance, .destroy = destroy_ahead);
