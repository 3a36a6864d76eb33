/* life2d-lut: two-dimensional Life-like cellular automata by lookup tables. */
#define ENGINE_MINOR 10 /* for engine_param.spell */
#include "life2dlut.h"

#include <life/plugin.h>

static const char *const tables[] = {"auto", "6x3", "4x4", "sums", NULL};

static const struct engine_param params[] = {
    [LUT_RULE] = LIFE_RULE_PARAM,
    [LUT_TABLE] = {ENGINE_CHOICE_PARAM("table",
                                       "what a table maps: 6x3: 6 x 3 cells to the next 4 x 1; 4x4: 4 x 4 cells to the "
                                       "next 2 x 2; sums: a row to the sums of three cells, and the sum of nine cells "
                                       "to the next cell",
                                       "auto", tables),
                   .flags = ENGINE_PARAM_TUNING},
};

static const struct engine_field fields[] = {[LUT_CELLS] = LIFE_CELLS_FIELD};

static const struct engine_metric metrics[] = {LIFE_POPULATION_METRIC};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "one thread, always with table 6x3: the reference", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_DIVISIBLE | ENGINE_UNIFORM),
     .layout = lut_serial_layout, .create = lut_serial_create, .advance = lut_serial_advance, .measure = life_measure,
     .cost = lut_serial_cost},
    {ENGINE_HOST_IMPL("cpu", "all threads; tables in caches, or in vector registers (sums)", 10,
                      ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_DIVISIBLE | ENGINE_UNIFORM | ENGINE_DEAD_EDGES),
     .probe = lut_cpu_probe, .layout = life_cpu_layout, .create = lut_cpu_create, .advance = lut_cpu_advance,
     .measure = life_measure, .cost = lut_cpu_cost},
    {
        ENGINE_CUDA_IMPL("cuda", "tables in shared memory, any number of steps per launch", 20,
                         ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES | ENGINE_DIVISIBLE | ENGINE_UNIFORM |
                             ENGINE_DEAD_EDGES),
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
    ENGINE_PLUGIN("life2d-lut", "0.1.0", "2D Life and its relatives B…/S…, by lookup tables"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
