/* @NAME@: the descriptor, which the engine reads before it calls any function. The rule is `next` in @NAME@.h; declare
 * here what it needs. */
#include "@NAME@.h"

#include <engine/stencil_cpu.h>

/* The state of the simulation: a torus of cells, one byte each in files and in memory. `reach` is STENCIL_REACH along
 * x, y and z. */
static const struct engine_field fields[] = {
    [CELLS] = {ENGINE_GRID_FIELD("cells", "1 alive, 0 dead", ENGINE_STATE, ENGINE_U8, 2), .values = 2,
               .reach = {1, 1, 0}},
};

/* Keys of the section [@NAME@] of a configuration: name, help, default, minimum, maximum. */
static const struct engine_param params[] = {
    [PARITY] = {ENGINE_INTEGER_PARAM(
        "parity", "a cell lives if the number of its live neighbours is odd (1) or even (0)", "1", 0, 1)},
};

/* Columns of metrics.csv and lines of the summary: the sums of `tally`. */
static const struct engine_metric metrics[] = {
    [POPULATION] = {ENGINE_METRIC("population", "cells", "cells that are not 0")},
};

/* Both implementations promise the same bits, and `engine verify` checks that. The row of `cuda` is always there; it
 * has functions only if there was a CUDA compiler. */
static const struct engine_impl impls[] = {{ENGINE_STENCIL_CPU_IMPL}, {ENGINE_STENCIL_CUDA_IMPL}};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("@NAME@", "0.1.0", "Fredkin's parity rule: every pattern makes copies of itself"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
