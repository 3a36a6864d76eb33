/* @NAME@: what the engine reads before it calls anything. Change the rule in cpu.c; declare here what it needs. */
#include "@NAME@.h"

/* The simulation's state: a torus of cells, one byte each in files and, unless an implementation asks otherwise, in
 * memory. */
static const struct engine_field fields[] = {
    [CELLS] = {.name = "cells",
               .help = "1 alive, 0 dead",
               .kind = ENGINE_GRID,
               .role = ENGINE_STATE,
               .type = ENGINE_U8,
               .components = 1,
               .rank = 2,           /* axes */
               .values = 2,         /* a cell is 0 or 1 */
               .reach = {1, 1, 0}}, /* how far along x, y, z one step looks: that deep are the ghosts */
};

/* Keys of the section [@NAME@] of a configuration. */
static const struct engine_param params[] = {
    [PARITY] = {.name = "parity",
                .help = "a cell lives where the number of its live neighbours is odd (1) or even (0)",
                .type = ENGINE_PARAM_INTEGER,
                .initial = "1",
                .min = 0,
                .max = 1},
};

/* Columns of metrics.csv, and part of the summary. */
static const struct engine_metric metrics[] = {{"population", "cells", "cells that are alive"}};

static const struct engine_impl impls[] = {
    {.name = "cpu",
     .help = "plain C, one thread",
     .memory = ENGINE_HOST_MEMORY,
     .flags = ENGINE_EXACT | ENGINE_REFERENCE,
     .rank = 1,
     .advance = cpu_advance,
     .measure = cpu_measure},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "@NAME@",
    .version = "0.1.0",
    .summary = "Fredkin's parity rule: every pattern makes copies of itself",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
