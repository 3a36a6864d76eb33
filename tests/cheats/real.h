/* Real numbers that turn slowly: a pair is the point of a circle. `precise` is the reference, in double precision. */
#ifndef TESTS_CHEATS_REAL_H
#define TESTS_CHEATS_REAL_H

#define ENGINE_MINOR 4
#include <engine/plugin.h>

#define TOLERANCE 1e-12 /* that the second implementation promises */

#define TURN(type, from, to, count, steps) \
    for (uint64_t i = 0; i + 1 < (count); i += 2) { \
        type x = (type) (from)[i], y = (type) (from)[i + 1]; \
        for (uint64_t step = 0; step < (steps); step++) { \
            const type turned = x * (type) 0.99995000041666527778 - y * (type) 0.00999983333416666468; \
            y = x * (type) 0.00999983333416666468 + y * (type) 0.99995000041666527778; \
            x = turned; \
        } \
        (to)[i] = x; \
        (to)[i + 1] = y; \
    }

static inline const double *reals_from(const struct engine_call *call)
{
    return (const double *) engine_field_buffer(call, 0)->origin[call->current];
}

static inline double *reals_to(const struct engine_call *call)
{
    return (double *) engine_field_buffer(call, 0)->origin[call->result];
}

static inline uint64_t real_count(const struct engine_call *call)
{
    return 2 * engine_field_buffer(call, 0)->shape->extent[0];
}

static inline int turn(void *self, struct engine_call *call)
{
    (void) self;
    TURN(double, reals_from(call), reals_to(call), real_count(call), call->steps)
    return ENGINE_OK;
}

static const struct engine_field fields[] = {
    {ENGINE_PARTICLE_FIELD("reals", "any", ENGINE_STATE, ENGINE_F64, 2)},
};

#define REAL_CHEAT(name, function) \
    static const struct engine_impl impls[] = { \
        {ENGINE_HOST_IMPL("precise", "is honest", 0, ENGINE_REFERENCE), .advance = turn, .tolerance = 1e-15}, \
        {ENGINE_HOST_IMPL("fast", "seems to be fast", 1, 0), .advance = function, .tolerance = TOLERANCE}, \
    }; \
    ENGINE_EXPORT const struct engine_plugin engine_plugin = { \
        ENGINE_PLUGIN(name, "0", "points that turn"), \
        .fields = ENGINE_ARRAY(fields), \
        .impls = ENGINE_ARRAY(impls), \
    }

#endif
