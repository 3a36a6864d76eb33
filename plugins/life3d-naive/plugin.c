/* life3d-naive: three-dimensional Life, one byte a cell. */
#include "naive.h"

#include <life/cpu3d.h>
#include <life/plugin3d.h>
#include <life/serial3d.h>

static const char *const cells_per_thread[] = {"1", "2", "4", NULL}; /* in the order of cuda.cu's forms */

static const struct engine_param params[] = {
    [NAIVE_RULE] = LIFE3D_RULE_PARAM,
    [NAIVE_BLOCK_X] = {.name = "block_x",
                       .help = "threads of a block along x, by cuda",
                       .unit = "threads",
                       .type = ENGINE_PARAM_INTEGER,
                       .flags = ENGINE_PARAM_TUNING,
                       .initial = "64",
                       .min = 1,
                       .max = 4096},
    [NAIVE_BLOCK_Y] = {.name = "block_y",
                       .help = "threads of a block along y, by cuda",
                       .unit = "threads",
                       .type = ENGINE_PARAM_INTEGER,
                       .flags = ENGINE_PARAM_TUNING,
                       .initial = "2",
                       .min = 1,
                       .max = 4096},
    [NAIVE_BLOCK_Z] = {.name = "block_z",
                       .help = "threads of a block along z, by cuda",
                       .unit = "threads",
                       .type = ENGINE_PARAM_INTEGER,
                       .flags = ENGINE_PARAM_TUNING,
                       .initial = "1",
                       .min = 1,
                       .max = 4096},
    [NAIVE_CELLS_A_THREAD] = {.name = "cells_per_thread",
                              .help = "cells along z that a thread computes, by cuda",
                              .unit = "cells",
                              .type = ENGINE_PARAM_CHOICE,
                              .flags = ENGINE_PARAM_TUNING,
                              .initial = "2",
                              .choices = cells_per_thread},
    [NAIVE_OVERLAP] = LIFE3D_OVERLAP_PARAM("cuda"),
};

static const struct engine_field fields[] = {[NAIVE_CELLS] = LIFE3D_CELLS_FIELD};

static const struct engine_metric metrics[] = {LIFE3D_POPULATION_METRIC};

static const struct engine_impl impls[] = {
    LIFE3D_SERIAL_IMPL,
    {.name = "cpu",
     .help = "all threads and vectors, every count made of all its cells",
     .flags = ENGINE_EXACT | ENGINE_OVERWRITES,
     .rank = 10,
     .layout = life3d_cpu_layout,
     .advance = naive_cpu_advance,
     .measure = life3d_measure},
    {
        .name = "cuda",
        .help = "neighbours read byte by byte from global memory",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES,
        .rank = 20,
#ifdef ENGINE_WITH_CUDA
        .probe = naive_cuda_probe,
        .layout = naive_cuda_layout,
        .create = naive_cuda_create,
        .advance = naive_cuda_advance,
        .measure = naive_cuda_measure,
        .cost = naive_cuda_cost,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "life3d-naive",
    .version = "0.1.0",
    .summary = "3D Life on a torus, one byte a cell",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
