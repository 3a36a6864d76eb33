/* @NAME@: the descriptor, which the engine reads before it calls any function. The rule is `next` in @NAME@.h; declare
 * here what it needs. */
#include "@NAME@.h"

#include <engine/stencil_cpu.h>

/* The state of the simulation: two numbers in each cell of a torus. `reach` is STENCIL_REACH along x, y and z, and
 * pictures show the values in `range`. */
static const struct engine_field fields[] = {
    [HEIGHT] = {ENGINE_GRID_FIELD("height", "of the surface", ENGINE_STATE, ENGINE_F32, 2), .reach = {1, 1, 0},
                .range = {-0.3, 0.3}},
    [VELOCITY] = {ENGINE_GRID_FIELD("velocity", "change of the height in a step", ENGINE_STATE, ENGINE_F32, 2),
                  .reach = {1, 1, 0}, .range = {-0.1, 0.1}},
};

/* Keys of the section [@NAME@] of a configuration: name, help, default, minimum, maximum. Faster waves are unstable. */
static const struct engine_param params[] = {
    [SPEED] = {ENGINE_REAL_PARAM("speed", "of long waves", "0.5", 0, 0.7071), .unit = "cells a step"},
};

/* Columns of metrics.csv and lines of the summary: the sums of `tally`. */
static const struct engine_metric metrics[] = {
    [MEAN] = {ENGINE_METRIC("mean", NULL, "mean of the height")},
    [SQUARE] = {ENGINE_METRIC("square", NULL, "mean of the height squared")},
};

/* Initial states: [init] source = drop or wave. */
enum { DROP, WAVE };
static const struct engine_generator generators[] = {
    [DROP] = {ENGINE_GENERATOR("drop", "a bump in the middle, 8 cells wide")},
    [WAVE] = {ENGINE_GENERATOR("wave", "one wave along the diagonal of the torus")},
};

/* Writes elements [begin, begin + count) of a field. */
static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    (void) host;
    const uint64_t *extent = engine_field_shape(plan, field)->extent;
    for (uint64_t i = 0; i < count; i++) {
        const double x = (double) ((begin + i) % extent[0]), y = (double) ((begin + i) / extent[0]);
        const double width = (double) extent[0], depth = (double) extent[1];
        const double height = generator == WAVE ? cos(2 * acos(-1) * (x / width + y / depth))
                                                : exp(-(pow(x - width / 2, 2) + pow(y - depth / 2, 2)) / 32);
        ((float *) out)[i] = field == HEIGHT ? (float) height : 0;
    }
    return 0;
}

/* Both implementations promise the same bits, and `engine verify` checks that. The row of `cuda` is always there; it
 * has functions only if there was a CUDA compiler. */
static const struct engine_impl impls[] = {{ENGINE_STENCIL_CPU_IMPL}, {ENGINE_STENCIL_CUDA_IMPL}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("@NAME@", "0.1.0", "the wave equation: ripples on water"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .generate = generate,
};
