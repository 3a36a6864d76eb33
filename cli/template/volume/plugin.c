/* @NAME@: the descriptor, which the engine reads before it calls any function. The rule is `next` in @NAME@.h; declare
 * here what it needs. */
#include "@NAME@.h"

#include <engine/stencil_cpu.h>

/* The state of the simulation: a number in each cell of a torus. `reach` is STENCIL_REACH along x, y and z. */
static const struct engine_field fields[] = {
    [TEMPERATURE] = {ENGINE_GRID_FIELD("temperature", "of a cell", ENGINE_STATE, ENGINE_F32, 3), .reach = {1, 1, 1}},
};

/* Keys of the section [@NAME@] of a configuration: name, help, default, minimum, maximum. At more than 1/6 a cell gives
 * away more heat than it has. */
static const struct engine_param params[] = {
    [RATE] = {ENGINE_REAL_PARAM("rate", "share of a difference that a neighbour takes over in a step", "0.1", 0,
                                0.1666)},
};

/* Columns of metrics.csv and lines of the summary: the sums of `tally`. */
static const struct engine_metric metrics[] = {
    [MEAN] = {ENGINE_METRIC("mean", NULL, "mean of the temperature")},
    [SQUARE] = {ENGINE_METRIC("square", NULL, "mean of the temperature squared")},
};

/* Initial states: [init] source = ball or wave. */
enum { BALL, WAVE };
static const struct engine_generator generators[] = {
    [BALL] = {ENGINE_GENERATOR("ball", "1 in a ball in the middle, 0 around it")},
    [WAVE] = {ENGINE_GENERATOR("wave", "one wave along the diagonal of the torus")},
};

/* Writes elements [begin, begin + count) of the field. */
static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    (void) host;
    const uint64_t *extent = engine_field_shape(plan, field)->extent;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t rest = begin + i;
        double turns = 0, distance = 0; /* of the wave; from the middle, squared, in extents of the grid */
        for (int axis = 0; axis < 3; axis++) {
            const double at = (double) (rest % extent[axis]) / (double) extent[axis];
            turns += at;
            distance += (at - 0.5) * (at - 0.5);
            rest /= extent[axis];
        }
        ((float *) out)[i] = generator == WAVE ? (float) cos(2 * acos(-1) * turns) : distance < 0.0625;
    }
    return 0;
}

/* Both implementations promise the same bits, and `engine verify` checks that. The row of `cuda` is always there; it
 * has functions only if there was a CUDA compiler. */
static const struct engine_impl impls[] = {{ENGINE_STENCIL_CPU_IMPL}, {ENGINE_STENCIL_CUDA_IMPL}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("@NAME@", "0.1.0", "heat conduction in a volume"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .generate = generate,
};
