/* What dishonest plugins share: numbers, each of which a step multiplies and adds to; and how to patch the program. */
#ifndef TESTS_CHEATS_CHEAT_H
#define TESTS_CHEATS_CHEAT_H

#define ENGINE_MINOR 4
#include <engine/plugin.h>

#include <stdlib.h>
#include <string.h>

static inline void take_steps(const uint64_t *from, uint64_t *to, uint64_t count, uint64_t steps)
{
    for (uint64_t i = 0; i < count; i++) {
        uint64_t value = from[i];
        for (uint64_t step = 0; step < steps; step++)
            value = value * 6364136223846793005u + 1442695040888963407u;
        to[i] = value;
    }
}

static inline uint64_t *numbers_from(const struct engine_call *call)
{
    return (uint64_t *) engine_field_buffer(call, 0)->origin[call->current];
}

static inline uint64_t *numbers_to(const struct engine_call *call)
{
    return (uint64_t *) engine_field_buffer(call, 0)->origin[call->result];
}

static inline uint64_t number_count(const struct engine_call *call)
{
    return engine_field_buffer(call, 0)->shape->extent[0];
}

static inline int take_honestly(void *self, struct engine_call *call)
{
    (void) self;
    take_steps(numbers_from(call), numbers_to(call), number_count(call), call->steps);
    return ENGINE_OK;
}

/* Few steps are those of a first call, or of a search for the number of steps. */
static inline int is_long(const struct engine_call *call)
{
    return call->steps >= 1000;
}

static const struct engine_field fields[] = {
    {ENGINE_PARTICLE_FIELD("numbers", "any", ENGINE_STATE, ENGINE_U64, 1)},
};

/* A plugin of that name with the implementation "fast". The other arguments are members of its descriptor. */
#define CHEAT(name, ...) \
    static const struct engine_impl impls[] = { \
        {ENGINE_HOST_IMPL("cpu", "is honest", 0, ENGINE_EXACT | ENGINE_REFERENCE), .advance = take_honestly}, \
        {ENGINE_HOST_IMPL("fast", "seems to be fast", 1, ENGINE_EXACT), __VA_ARGS__}, \
    }; \
    ENGINE_EXPORT const struct engine_plugin engine_plugin = { \
        ENGINE_PLUGIN(name, "0", "numbers that are multiplied and added to"), \
        .fields = ENGINE_ARRAY(fields), \
        .impls = ENGINE_ARRAY(impls), \
    }

#endif
