/* life3d-shared: three-dimensional Life, one byte a cell. */
#define ENGINE_MINOR 5 /* for ENGINE_DIVISIBLE | ENGINE_UNIFORM */
#include "shared.h"

#include <life/cpu3d.h>
#include <life/plugin3d.h>
#include <life/serial3d.h>

/* A tile has a border of one cell all around. */
static int check_tile(const struct engine_host *host, const struct engine_value *value)
{
    return value->integer == 0 || value->integer > 2
               ? 0
               : ENGINE_FAIL(host, ENGINE_INVALID, "expected 3 or more, or 0 for the best width");
}

static const struct engine_param params[] = {
    [SHARED_RULE] = LIFE3D_RULE_PARAM,
    [SHARED_TILE] = {ENGINE_INTEGER_PARAM("tile",
                                          "cuda: width and height of a block of threads, which computes tile - 2 cells "
                                          "along x and y; cpu: rows of a tile; 0: the plugin chooses",
                                          "0", 0, 1024),
                     .unit = "cells", .flags = ENGINE_PARAM_TUNING, .check = check_tile},
    [SHARED_Z_ITER] = {ENGINE_INTEGER_PARAM("z_iter",
                                            "planes along z that a tile passes through; 0: the plugin chooses", "0", 0,
                                            1 << 20),
                       .unit = "planes", .flags = ENGINE_PARAM_TUNING},
    [SHARED_OVERLAP] = LIFE3D_OVERLAP_PARAM("cuda"),
};

static const struct engine_field fields[] = {[SHARED_CELLS] = LIFE3D_CELLS_FIELD};

static const struct engine_metric metrics[] = {LIFE_POPULATION_METRIC};

static const struct engine_impl impls[] = {
    LIFE3D_SERIAL_IMPL,
    {ENGINE_HOST_IMPL("cpu", "all threads, vector instructions, tiles that move along z and keep sums of planes", 10,
                      ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_DIVISIBLE | ENGINE_UNIFORM | ENGINE_DEAD_EDGES),
     .layout = life3d_cpu_layout, .create = shared_cpu_create, .advance = shared_cpu_advance, .measure = life_measure,
     .cost = cost_of_bytes},
    {
        ENGINE_CUDA_IMPL(
            "cuda-text",
            "three planes of a tile in shared memory, 27 reads per cell: the second kernel of the 3D Life text", 0,
            ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES),
#ifdef ENGINE_WITH_CUDA
        .probe = shared_cuda_text_probe,
        .layout = life3d_cuda_layout,
        .create = shared_cuda_text_create,
        .advance = shared_cuda_text_advance,
        .measure = shared_cuda_measure,
        .cost = cost_of_bytes,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda", "planes of tiles in shared memory, blocks that move along z", 20,
                         ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES | ENGINE_DIVISIBLE | ENGINE_UNIFORM |
                             ENGINE_DEAD_EDGES),
#ifdef ENGINE_WITH_CUDA
        .probe = shared_cuda_probe,
        .layout = life3d_cuda_layout,
        .create = shared_cuda_create,
        .advance = shared_cuda_advance,
        .measure = shared_cuda_measure,
        .cost = cost_of_bytes,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("life3d-shared", "0.1.0", "3D Life, one byte per cell, tiles that move along z"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
