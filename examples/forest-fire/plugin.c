/* forest-fire: the descriptor. */
#define ENGINE_MINOR 12 /* for engine_plugin.extension */
#include "forest-fire.h"

#include <engine/pictures.h>
#include <engine/stencil_cpu.h>

#include <string.h>

static const struct engine_field fields[] = {
    [CELLS] = {ENGINE_GRID_FIELD("cells", "0 empty, 1 a tree, 2 a tree that burns", ENGINE_STATE, ENGINE_U8, 2),
               .values = 3, .reach = {1, 1, 0}},
};

static const struct engine_param params[] = {
    [GROWTH] = {ENGINE_REAL_PARAM("growth",
                                  "p: probability that a tree grows in an empty cell in a step, in "
                                  "multiples of 2^-32",
                                  "0.005", 0, 1)},
    [LIGHTNING] = {ENGINE_REAL_PARAM("lightning",
                                     "f: probability that lightning strikes a tree in a step, in "
                                     "multiples of 2^-32",
                                     "0.00001", 0, 1)},
    [DENSITY] = {ENGINE_REAL_PARAM("density", "of the trees that a generator plants", "0.6", 0, 1)},
};

static const struct engine_metric metrics[] = {
    [TREES] = {ENGINE_METRIC("trees", "cells", "trees that do not burn")},
    [FIRES] = {ENGINE_METRIC("fires", "cells", "trees that burn")},
};

static const struct engine_generator generators[] = {
    {ENGINE_GENERATOR("front", "trees in random cells, and a first row of trees that burn")},
};

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    const uint64_t width = engine_field_shape(plan, field)->extent[0];
    (void) generator;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t word;
        host->random(host, plan->seed, UINT64_C(1) << 40, begin + i, 1, &word);
        const int tree = word < engine_param_real(plan, DENSITY) * 0x1p32;
        ((uint8_t *) out)[i] = (uint8_t) (begin + i < width ? BURNING : tree ? TREE : EMPTY);
    }
    return 0;
}

static int colours(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                   uint8_t (*colours)[3], uint32_t *count)
{
    static const uint8_t all[3][3] = {{0, 0, 0}, {40, 130, 60}, {255, 220, 120}}; /* of 0, 1, 2 */
    (void) host, (void) plan, (void) field;
    memcpy(colours, all, sizeof all);
    *count = 3;
    return 0;
}

ENGINE_COLOURS_EXTENSION(colours)

static const struct engine_impl impls[] = {{ENGINE_STENCIL_CPU_IMPL}, {ENGINE_STENCIL_CUDA_IMPL}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("forest-fire", "0.1.0", "trees grow and burn: the model of Drossel and Schwabl"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .generate = generate,
    .extension = extension,
};
