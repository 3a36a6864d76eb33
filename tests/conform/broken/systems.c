/* Particles that move on a circle, each at a speed of its own, in an implementation that takes a batch (ENGINE_BATCH): a
 * sound one and, with the parameter `how`, one that is broken. */
#define ENGINE_MINOR 7
#include <engine/plugin.h>

enum { ANGLE, TURNS, SPEED };
enum how { RIGHT, DENSE /* takes the bytes of a universe for its stride */ };

static const char *const ways[] = {"right", "dense", NULL};

static const struct engine_param params[] = {{ENGINE_CHOICE_PARAM("how", "how it is broken", "right", ways)}};

static double *universe(const struct engine_call *call, uint32_t field, uint32_t which, uint64_t u)
{
    const struct engine_buffer *buffer = engine_field_buffer(call, field);
    if (engine_param_choice(call->plan, 0) == DENSE)
        return (double *) buffer->origin[which] + u * buffer->shape->extent[0];
    return engine_row(buffer, which, (int64_t) u, 0);
}

/* What is added to an angle in a step. */
static double kick(const struct engine_call *call, int seeded, uint64_t u, uint64_t step)
{
    return seeded ? 1e-3 * (double) ((call->plan->seed + u + 7 * (call->first_step + step)) % 11) : 0;
}

static int take_steps(struct engine_call *call, int seeded)
{
    for (uint64_t u = 0; u < call->plan->universes; u++) {
        const double *angle = universe(call, ANGLE, call->current, u), *speed = universe(call, SPEED, 0, u);
        const double *before = universe(call, TURNS, call->current, u);
        double *result = universe(call, ANGLE, call->result, u), *turns = universe(call, TURNS, call->result, u);
        for (uint64_t i = 0; i < call->end[0]; i++) {
            result[i] = angle[i];
            turns[i] = before[i];
            for (uint64_t step = 0; step < call->steps; step++) {
                result[i] += 0.1 * speed[i] + 0.001 * (double) (i % 100) + kick(call, seeded, u, step);
                turns[i] += result[i] >= 1;
                result[i] -= result[i] >= 1;
            }
        }
    }
    return 0;
}

static int advance(void *self, struct engine_call *call)
{
    (void) self;
    return take_steps(call, 0);
}

static int advance_seeded(void *self, struct engine_call *call)
{
    (void) self;
    return take_steps(call, 1);
}

static int measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    for (uint64_t u = 0; u < call->plan->universes; u++)
        for (uint64_t i = 0; i < call->end[0]; i++)
            values[u] += universe(call, ANGLE, call->current, u)[i];
    return 0;
}

static const struct engine_field fields[] = {
    [ANGLE] = {ENGINE_PARTICLE_FIELD("angle", "angle of each particle, in turns", ENGINE_STATE, ENGINE_F64, 1)},
    [TURNS] = {ENGINE_PARTICLE_FIELD("turns", "whole turns of each particle", ENGINE_STATE, ENGINE_F64, 1)},
    [SPEED] = {ENGINE_PARTICLE_FIELD("speed", "speed of each particle", ENGINE_INPUT, ENGINE_F64, 1), .initial = 0.7}};
static const struct engine_metric metrics[] = {{ENGINE_METRIC("angles", "turns", "sum of all angles")}};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu", "all universes in a call", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_BATCH),
     .advance = advance, .measure = measure},
    {ENGINE_HOST_IMPL("seeded", "the same with kicks that depend on seed and step", 0,
                      ENGINE_SERIAL | ENGINE_BATCH | ENGINE_SEEDED),
     .tolerance = 1, .advance = advance_seeded, .measure = measure}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("systems", "1", "takes a batch of particles"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
