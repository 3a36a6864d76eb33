/* A plugin whose states form a tail and a cycle of any length: 0, 1, …, tail + period - 1, tail, tail + 1, … It also
 * adds up its steps in an output. One implementation hides that its steps depend on their number; one says that they
 * are random. */
#define ENGINE_MINOR 4
#include <engine/plugin.h>

enum { VALUE, TAKEN };
enum { TAIL, PERIOD };

static int64_t follow(const struct engine_call *call, int64_t value)
{
    const int64_t tail = engine_param_integer(call->plan, TAIL);
    return value + 1 < tail + engine_param_integer(call->plan, PERIOD) ? value + 1 : tail;
}

/* 0, 1, 4, 2, 2, 4, 1, 0, 1, …: the same state is followed by another one. */
static int64_t square(const struct engine_call *call, int64_t value)
{
    (void) value;
    const int64_t step = (int64_t) call->first_step + 1;
    return step * step % 7;
}

static int advance_by(struct engine_call *call, int64_t (*next)(const struct engine_call *, int64_t))
{
    int64_t *const *const values = (int64_t *const *) engine_field_buffer(call, VALUE)->origin;
    int64_t *const taken = engine_field_buffer(call, TAKEN)->origin[0];
    int64_t value = values[call->current][0];
    for (; call->steps > 0; call->steps--, call->first_step++, ++*taken)
        value = next(call, value);
    values[call->result][0] = value;
    return ENGINE_OK;
}

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    return advance_by(call, follow);
}

static int advance_by_number(void *self, struct engine_call *call)
{
    (void) self;
    return advance_by(call, square);
}

static int measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    values[0] = (double) *(const int64_t *) engine_field_buffer(call, VALUE)->origin[call->current];
    values[1] = (double) *(const int64_t *) engine_field_buffer(call, TAKEN)->origin[0];
    return ENGINE_OK;
}

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *shape)
{
    (void) host, (void) plan, (void) field, (void) step;
    shape->extent[0] = 1;
    return ENGINE_OK;
}

static const struct engine_param params[] = {
    [TAIL] = {ENGINE_INTEGER_PARAM("tail", "states before the cycle", "0", 0, 1e15)},
    [PERIOD] = {ENGINE_INTEGER_PARAM("period", "states of the cycle", "1", 1, 1e15)},
};

static const struct engine_field fields[] = {
    [VALUE] = {ENGINE_PARTICLE_FIELD("value", "the present state", ENGINE_STATE, ENGINE_I64, 1)},
    [TAKEN] = {ENGINE_BIN_FIELD("taken", "the number of steps", ENGINE_I64)},
};

static const struct engine_metric metrics[] = {
    {ENGINE_METRIC("value", NULL, "the present state")},
    {ENGINE_METRIC("taken", "steps", "the number of steps")},
};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "counts", 1, ENGINE_EXACT | ENGINE_REFERENCE), .advance = advance, .measure = measure},
    {ENGINE_HOST_IMPL("cpu-number", "depends on the number of the step", 0, 0), .tolerance = 1,
     .advance = advance_by_number, .measure = measure},
    {ENGINE_HOST_IMPL("cpu-random", "says that it is random", 0, ENGINE_SEEDED), .tolerance = 1, .advance = advance,
     .measure = measure},
    {ENGINE_HOST_IMPL("cpu-silent", "does not measure", 0, ENGINE_EXACT), .advance = advance},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("counter", "0", "counts along a tail and around a cycle"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .shape = shape,
};
