/* @NAME@: what the engine reads before it calls anything. The rule itself is next_cell in @NAME@.h; declare here what
 * it needs. */
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
static const struct engine_metric metrics[] = {{"population", "cells", "cells that are not 0"}};

struct rule rule_of(const struct engine_plan *plan)
{
    return (struct rule){.parity = (int) engine_param_value(plan, PARITY)->integer};
}

/* Both promise the same bits; `engine verify` holds them to it. The row of `cuda` is always there, its functions where
 * a CUDA compiler was. */
static const struct engine_impl impls[] = {
    {.name = "cpu",
     .help = "plain C, rows on all threads",
     .memory = ENGINE_HOST_MEMORY,
     .flags = ENGINE_EXACT | ENGINE_REFERENCE,
     .rank = 10,
     .advance = cpu_advance,
     .measure = cpu_measure},
    {
        .name = "cuda",
        .help = "a thread a cell",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_ENQUEUES,
        .rank = 20,
#ifdef ENGINE_WITH_CUDA
        .create = cuda_create,
        .advance = cuda_advance,
        .measure = cuda_measure,
#endif
    },
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
