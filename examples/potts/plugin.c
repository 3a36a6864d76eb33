/* potts: the descriptor. */
#include "potts.h"

#include <engine/stencil_cpu.h>

static const struct engine_field fields[] = {
    [SITES] = {ENGINE_GRID_FIELD("cells", "the number of a site's cell: 0 medium, even dark, odd light", ENGINE_STATE,
                                 ENGINE_U16, 2),
               .values = STENCIL_TOTALS, .reach = {1, 1, 0}},
    [LOOK] = {ENGINE_GRID_FIELD("look", "0 medium, 1 edge of a cell, 2 dark, 3 light", ENGINE_OUTPUT, ENGINE_U8, 2),
              .values = LOOKS},
};

/* The defaults are those of Graner and Glazier for sorting. */
static const struct engine_param params[] = {
    [DARK] = {ENGINE_INTEGER_PARAM("dark", "J of two dark cells", "2", -1000, 1000)},
    [MIXED] = {ENGINE_INTEGER_PARAM("mixed", "J of a dark and a light cell", "11", -1000, 1000)},
    [LIGHT] = {ENGINE_INTEGER_PARAM("light", "J of two light cells", "14", -1000, 1000)},
    [MEDIUM] = {ENGINE_INTEGER_PARAM("medium", "J of a cell and the medium", "16", -1000, 1000)},
    [VOLUME] = {ENGINE_INTEGER_PARAM("volume", "target of the volume of a cell", "40", 0, 1000000), .unit = "sites"},
    [STIFFNESS] = {ENGINE_INTEGER_PARAM("stiffness", "lambda: energy of a volume one site away from the target", "1", 0,
                                        1000)},
    [TEMPERATURE] = {ENGINE_REAL_PARAM("temperature", "in units of J", "10", 1e-3, 1e6)},
};

static const struct engine_metric metrics[] = {
    [DARK_SITES] = {ENGINE_METRIC("dark", "sites", "sites of dark cells")},
    [LIGHT_SITES] = {ENGINE_METRIC("light", "sites", "sites of light cells")},
};

/* On a torus of odd width, two sites of one colour would be neighbours. */
static int check(const struct engine_host *host, const struct engine_plan *plan)
{
    const uint64_t *extent = engine_field_shape(plan, SITES)->extent;
    if (extent[0] % 2 == 0 && extent[1] % 2 == 0)
        return 0;
    return ENGINE_FAIL(host, ENGINE_INVALID, "four colours need even sides, not %llu x %llu",
                       (unsigned long long) extent[0], (unsigned long long) extent[1]);
}

static const struct engine_generator generators[] = {
    {ENGINE_GENERATOR("aggregate",
                      "20 x 18 cells of 6 x 7 sites in the middle, or as many as fit; half of them dark, by "
                      "chance")},
};

enum { COLUMNS = 20, ROWS = 18, WIDTH = 6, HEIGHT = 7 };

/* The tile of a site along an axis, or `most` if it lies outside of the `most` tiles, or of the fewer that fit. */
static uint64_t tile_of(uint64_t at, uint64_t extent, uint64_t side, uint64_t most)
{
    const uint64_t tiles = extent / side < most ? extent / side : most, begin = (extent - tiles * side) / 2;
    return at < begin || at >= begin + tiles * side ? most : (at - begin) / side;
}

static int generate(const struct engine_host *host, const struct engine_plan *plan, uint32_t generator, uint32_t field,
                    uint64_t begin, uint64_t count, void *out)
{
    const uint64_t *extent = engine_field_shape(plan, field)->extent;
    (void) generator;
    for (uint64_t i = begin; i < begin + count; i++) {
        const uint64_t x = tile_of(i % extent[0], extent[0], WIDTH, COLUMNS);
        const uint64_t y = tile_of(i / extent[0], extent[1], HEIGHT, ROWS), tile = y * COLUMNS + x;
        uint32_t word;
        host->random(host, plan->seed, UINT64_C(1) << 40, tile, 1, &word);
        ((uint16_t *) out)[i - begin] = (uint16_t) (x < COLUMNS && y < ROWS ? 2 + 2 * tile + (word & 1) : 0);
    }
    return 0;
}

static const struct engine_impl impls[] = {{ENGINE_STENCIL_CPU_IMPL}, {ENGINE_STENCIL_CUDA_IMPL}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("potts", "0.1.0", "cells of a tissue that sort themselves: the cellular Potts model"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .generators = ENGINE_ARRAY(generators),
    .impls = ENGINE_ARRAY(impls),
    .check = check,
    .generate = generate,
};
