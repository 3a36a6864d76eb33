/* Particles that move straight on: position += dt * velocity. It shows what the engine does for particles without an
 * algorithm. */
#include <engine/plugin.h>

#include <string.h>

/* Built as "still" with positions and velocities for inputs, it is a plugin that only looks at particles. */
#ifndef NAME
#define NAME "drift"
#define ROLE ENGINE_STATE
#endif

/* Or with two buffers, which take turns. */
#ifndef IN_PLACE
#define IN_PLACE ENGINE_IN_PLACE
#endif

/* Or with positions and velocities in a plane. */
#ifndef COMPONENTS
#define COMPONENTS 3
#endif

enum { PRECISION, DT };
static const char *const precisions[] = {"single", "double", NULL};
static const struct engine_param params[] = {
    [PRECISION] = {.name = "precision",
                   .help = "of all fields",
                   .type = ENGINE_PARAM_CHOICE,
                   .initial = "single",
                   .choices = precisions},
    [DT] = {.name = "dt", .help = "step", .type = ENGINE_PARAM_REAL, .initial = "0.5", .min = 0, .max = 100},
};

enum { POSITION, VELOCITY, MASS, SPECIES };
#define PARTICLES(called, part, number, elements) \
    .name = (called), .help = (called), .kind = ENGINE_PARTICLES, .role = (part), .type = (number), \
    .components = (elements)
static const struct engine_field fields[] = {
    [POSITION] = {PARTICLES("position", ROLE, ENGINE_F32, COMPONENTS)},
    [VELOCITY] = {PARTICLES("velocity", ROLE, ENGINE_F32, COMPONENTS)},
    [MASS] = {PARTICLES("mass", ENGINE_INPUT, ENGINE_F32, 1), .initial = 1},
    [SPECIES] = {PARTICLES("species", ENGINE_INPUT, ENGINE_U8, 1), .values = 4},
};

static const struct engine_metric metrics[] = {
    {"particles", NULL, "how many"},  {"mass", NULL, "of all"},         {"species", NULL, "sum of all numbers"},
    {"length_x", NULL, "of the box"}, {"length_y", NULL, "of the box"}, {"length_z", NULL, "of the box"},
    {"tilt_xy", NULL, "of the box"},  {"tilt_xz", NULL, "of the box"},  {"tilt_yz", NULL, "of the box"},
};

static int shape(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint64_t step,
                 struct engine_shape *out)
{
    (void) host, (void) step;
    if (field != SPECIES && engine_param_value(plan, PRECISION)->integer == 1)
        out->type = ENGINE_F64;
    return ENGINE_OK;
}

static int advance(void *self, struct engine_call *call)
{
    const struct engine_buffer *position = engine_field_buffer(call, POSITION);
    const struct engine_buffer *velocity = engine_field_buffer(call, VELOCITY);
    const double dt = engine_param_value(call->plan, DT)->real;
    const uint64_t count = COMPONENTS * position->shape->extent[0];
    const uint32_t to = call->result;
    (void) self;
    if (to != call->current) {
        memcpy(position->origin[to], position->origin[call->current], position->bytes);
        memcpy(velocity->origin[to], velocity->origin[call->current], velocity->bytes);
    }
    for (uint64_t step = 0; step < call->steps; step++)
        for (uint64_t i = 0; i < count; i++)
            if (position->shape->type == ENGINE_F64)
                ((double *) position->origin[to])[i] += dt * ((const double *) velocity->origin[to])[i];
            else
                ((float *) position->origin[to])[i] += (float) dt * ((const float *) velocity->origin[to])[i];
    return ENGINE_OK;
}

static int measure(void *self, const struct engine_call *call, double *values)
{
    const struct engine_buffer *mass = engine_field_buffer(call, MASS);
    const uint8_t *species = (const uint8_t *) engine_field_buffer(call, SPECIES)->origin[0];
    (void) self;
    values[0] = (double) mass->shape->extent[0];
    values[1] = values[2] = 0;
    for (uint64_t i = 0; i < mass->shape->extent[0]; i++) {
        values[1] += mass->shape->type == ENGINE_F64 ? ((const double *) mass->origin[0])[i]
                                                     : (double) ((const float *) mass->origin[0])[i];
        values[2] += species[i];
    }
    for (int i = 0; i < 6; i++)
        values[3 + i] = call->plan->box[i];
    return ENGINE_OK;
}

static const struct engine_impl impls[] = {
    {.name = "cpu",
     .help = "one loop",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE | IN_PLACE,
     .advance = advance,
     .measure = measure},
};

const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = NAME,
    .version = "1.0",
    .summary = "particles that go straight on",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .shape = shape,
};
