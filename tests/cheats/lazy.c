/* A row of numbers, each of which a step multiplies and adds to. The reference computes them. The other implementation
 * puts work off: in calls that the parameters name it only notes the steps, and does them in its next call. */
#define ENGINE_MINOR 4
#include <engine/plugin.h>

#include <stdlib.h>

enum { NUMBERS };
enum { INSTANCE, CALL, CALLS, LEAST };

struct lazy {
    int64_t number; /* of the instance */
    int64_t calls;
    uint64_t owed; /* steps */
};

static void take(const struct engine_call *call, uint64_t steps)
{
    const struct engine_buffer *numbers = engine_field_buffer(call, NUMBERS);
    const uint64_t *from = (const uint64_t *) numbers->origin[call->current];
    uint64_t *to = (uint64_t *) numbers->origin[call->result];
    for (uint64_t i = 0; i < numbers->shape->extent[0]; i++) {
        uint64_t value = from[i];
        for (uint64_t step = 0; step < steps; step++)
            value = value * 6364136223846793005u + 1442695040888963407u;
        to[i] = value;
    }
}

static int create(const struct engine_call *call, void **self)
{
    static int64_t instances;
    struct lazy *lazy = calloc(1, sizeof *lazy);
    if (!lazy)
        return ENGINE_FAIL(call->host, ENGINE_NO_MEMORY, "no memory");
    lazy->number = ++instances;
    *self = lazy;
    return ENGINE_OK;
}

static void destroy(void *self)
{
    free(self);
}

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    take(call, call->steps);
    return ENGINE_OK;
}

static int is_lazy(const struct lazy *lazy, const struct engine_call *call)
{
    const int64_t instance = engine_param_integer(call->plan, INSTANCE), first = engine_param_integer(call->plan, CALL);
    return (instance == 0 || lazy->number >= instance) && lazy->calls >= first &&
           lazy->calls < first + engine_param_integer(call->plan, CALLS) &&
           call->steps >= (uint64_t) engine_param_integer(call->plan, LEAST);
}

static int advance_later(void *self, struct engine_call *call)
{
    struct lazy *lazy = (struct lazy *) self;
    lazy->calls++;
    call->host->note(call->host, "calls", "%lld", (long long) lazy->calls);
    if (is_lazy(lazy, call)) {
        lazy->owed += call->steps;
        call->result = call->current;
        return ENGINE_OK;
    }
    take(call, call->steps + lazy->owed);
    lazy->owed = 0;
    return ENGINE_OK;
}

static const struct engine_param params[] = {
    [INSTANCE] = {ENGINE_INTEGER_PARAM("instance", "the first instance that is lazy", "0", 0, 1e6)},
    [CALL] = {ENGINE_INTEGER_PARAM("call", "the first call that is put off; an instance counts from 1", "2", 1, 1e6)},
    [CALLS] = {ENGINE_INTEGER_PARAM("calls", "how many calls are put off", "1", 0, 1e6)},
    [LEAST] = {ENGINE_INTEGER_PARAM("least", "steps of a call that is put off", "1", 1, 1e15)},
};

static const struct engine_field fields[] = {
    [NUMBERS] = {ENGINE_PARTICLE_FIELD("numbers", "any", ENGINE_STATE, ENGINE_U64, 1)},
};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "multiplies and adds", 0, ENGINE_EXACT | ENGINE_REFERENCE), .advance = advance},
    {ENGINE_HOST_IMPL("lazy", "does it later", 1, ENGINE_EXACT), .create = create, .advance = advance_later,
     .destroy = destroy},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("lazy", "0", "numbers that are multiplied and added to"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
};
