/* life3d-naive: three-dimensional Life, one byte a cell. */
#define ENGINE_MINOR 5 /* for ENGINE_DIVISIBLE | ENGINE_UNIFORM */
#include "naive.h"

#include <life/cpu3d.h>
#include <life/plugin3d.h>
#include <life/serial3d.h>

static const char *const cells_per_thread[] = {"1", "2", "4", NULL}; /* in the order of cuda.cu's forms */

static const struct engine_param params[] = {
    [NAIVE_RULE] = LIFE3D_RULE_PARAM,
    [NAIVE_BLOCK_X] = {ENGINE_INTEGER_PARAM("block_x", "cuda: threads per block along x", "64", 1, 4096),
                       .unit = "threads", .flags = ENGINE_PARAM_TUNING},
    [NAIVE_BLOCK_Y] = {ENGINE_INTEGER_PARAM("block_y", "cuda: threads per block along y", "2", 1, 4096),
                       .unit = "threads", .flags = ENGINE_PARAM_TUNING},
    [NAIVE_BLOCK_Z] = {ENGINE_INTEGER_PARAM("block_z", "cuda: threads per block along z", "1", 1, 4096),
                       .unit = "threads", .flags = ENGINE_PARAM_TUNING},
    [NAIVE_CELLS_A_THREAD] = {ENGINE_CHOICE_PARAM("cells_per_thread", "cuda: cells along z that a thread computes", "2",
                                                  cells_per_thread),
                              .unit = "cells", .flags = ENGINE_PARAM_TUNING},
    [NAIVE_OVERLAP] = LIFE3D_OVERLAP_PARAM("cuda"),
};

static const struct engine_field fields[] = {[NAIVE_CELLS] = LIFE3D_CELLS_FIELD};

static const struct engine_metric metrics[] = {LIFE_POPULATION_METRIC};

static const struct engine_impl impls[] = {
    LIFE3D_SERIAL_IMPL,
    {ENGINE_HOST_IMPL("cpu", "all threads, vector instructions, adds all 26 neighbours for every cell", 10,
                      ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_DIVISIBLE | ENGINE_UNIFORM | ENGINE_DEAD_EDGES),
     .layout = life3d_cpu_layout, .create = naive_cpu_create, .advance = naive_cpu_advance, .measure = life_measure,
     .cost = cost_of_bytes},
    {
        ENGINE_CUDA_IMPL("cuda-text", "one cell per thread, wraps by remainders: the first kernel of the 3D Life text",
                         0, ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES),
#ifdef ENGINE_WITH_CUDA
        .probe = naive_cuda_text_probe,
        .layout = life3d_cuda_layout,
        .create = naive_cuda_text_create,
        .advance = naive_cuda_text_advance,
        .measure = naive_cuda_measure,
        .cost = cost_of_bytes,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda", "reads neighbours byte by byte from global memory", 20,
                         ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES | ENGINE_DIVISIBLE | ENGINE_UNIFORM |
                             ENGINE_DEAD_EDGES),
#ifdef ENGINE_WITH_CUDA
        .probe = naive_cuda_probe,
        .layout = life3d_cuda_layout,
        .create = naive_cuda_create,
        .advance = naive_cuda_advance,
        .measure = naive_cuda_measure,
        .cost = cost_of_bytes,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("life3d-naive", "0.1.0", "3D Life, one byte per cell"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
