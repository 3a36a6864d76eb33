/* A plugin of real numbers with three inexact implementations: one keeps its tolerance, one exceeds it, and one
 * fails. */
#include <engine/plugin.h>

enum { VALUE };

/* Every value changes its sign; `error` is added to the first. */
static int flip(struct engine_call *call, float error)
{
    const struct engine_buffer *values = engine_field_buffer(call, VALUE);
    const uint64_t count = values->shape->extent[0];
    uint32_t current = call->current;
    for (uint64_t step = 0; step < call->steps; step++, current = 1 - current) {
        const float *from = (const float *) values->origin[current];
        float *to = (float *) values->origin[1 - current];
        for (uint64_t i = 0; i < count; i++)
            to[i] = -from[i] + (i == 0 ? error : 0);
    }
    call->result = current;
    return ENGINE_OK;
}

static int reference(void *self, struct engine_call *call)
{
    (void) self;
    return flip(call, 0);
}

static int near(void *self, struct engine_call *call)
{
    (void) self;
    return flip(call, 1e-4f);
}

static int far(void *self, struct engine_call *call)
{
    (void) self;
    return flip(call, 1e-2f);
}

static int fails(void *self, struct engine_call *call)
{
    (void) self;
    return call->first_step + call->steps < 2 ? flip(call, 0)
                                              : ENGINE_FAIL(call->host, -ENGINE_INTERNAL, "it gave up at step 2");
}

static int refuses(const struct engine_host *host, const struct engine_plan *plan)
{
    return ENGINE_FAIL(host, ENGINE_UNSUPPORTED, "it takes 1000 particles, not %llu",
                       (unsigned long long) engine_field_shape(plan, VALUE)->extent[0]);
}

static const struct engine_field fields[] = {
    {.name = "value",
     .help = "a number each",
     .kind = ENGINE_PARTICLES,
     .type = ENGINE_F32,
     .components = 1,
     .initial = 1},
};

static const struct engine_impl impls[] = {
    {.name = "cpu", .help = "changes signs", .flags = ENGINE_EXACT | ENGINE_REFERENCE, .advance = reference},
    {.name = "cpu-near", .help = "adds 1e-4", .tolerance = 1e-3, .advance = near},
    {.name = "cpu-far", .help = "adds 1e-2", .tolerance = 1e-3, .advance = far},
    {.name = "cpu-fails", .help = "gives up", .tolerance = 1e-3, .advance = fails},
    {.name = "cpu-refuses", .help = "wants other sizes", .tolerance = 1e-3, .advance = near, .probe = refuses},
    {.name = "cuda", .help = "is not built", .memory = ENGINE_CUDA_MEMORY, .flags = ENGINE_EXACT},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "loose",
    .version = "1.0",
    .summary = "changes signs",
    .fields = ENGINE_ARRAY(fields),
    .impls = ENGINE_ARRAY(impls),
};
