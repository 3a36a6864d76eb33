/* life2d-lut: two-dimensional Life-like cellular automata by lookup tables. */
#include "life2dlut.h"

#include <life/plugin.h>

static const char *const tables[] = {"auto", "6x3", "4x4", "sums", NULL};

static const struct engine_param params[] = {
    [LUT_RULE] = LIFE_RULE_PARAM,
    [LUT_TABLE] = {.name = "table",
                   .help = "6x3: to 4 x 1 next cells; 4x4: to 2 x 2; sums: of each row's threes, then the rule",
                   .type = ENGINE_PARAM_CHOICE,
                   .flags = ENGINE_PARAM_TUNING,
                   .initial = "auto",
                   .choices = tables},
};

static const struct engine_field fields[] = {[LUT_CELLS] = LIFE_CELLS_FIELD};

static const struct engine_metric metrics[] = {LIFE_POPULATION_METRIC};

static const struct engine_impl impls[] = {
    {.name = "cpu-serial",
     .help = "one thread, table 6x3 whatever `table` says: the reference",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE,
     .rank = 1,
     .layout = lut_serial_layout,
     .create = lut_serial_create,
     .advance = lut_serial_advance,
     .measure = life_measure,
     .cost = lut_serial_cost},
    {.name = "cpu",
     .help = "all threads; tables in caches, or (sums) in vector registers",
     .flags = ENGINE_EXACT | ENGINE_OVERWRITES,
     .rank = 10,
     .probe = lut_cpu_probe,
     .layout = lut_cpu_layout,
     .create = lut_cpu_create,
     .advance = lut_cpu_advance,
     .measure = life_measure,
     .cost = lut_cpu_cost},
    {
        .name = "cuda",
        .help = "tables in shared memory, any number of steps a launch",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES,
        .rank = 20,
#ifdef ENGINE_WITH_CUDA
        .probe = lut_cuda_probe,
        .layout = lut_cuda_layout,
        .create = lut_cuda_create,
        .advance = lut_cuda_advance,
        .measure = lut_cuda_measure,
        .cost = lut_cuda_cost,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "life2d-lut",
    .version = "0.1.0",
    .summary = "2D Life and its relatives B…/S… on a torus, by lookup tables",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
