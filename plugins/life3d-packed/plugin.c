/* life3d-packed: three-dimensional Life, several cells a word. */
#include "packed.h"

#include <life/plugin3d.h>
#include <life/serial3d.h>

static int check_block_size(const struct engine_host *host, const struct engine_value *value)
{
    return value->integer % 32 == 0 ? 0 : ENGINE_FAIL(host, ENGINE_INVALID, "a block is whole warps of 32 threads");
}

static const struct engine_param params[] = {
    [PACKED_RULE] = LIFE3D_RULE_PARAM,
    [PACKED_Z_WIDTH] = {.name = "z_width",
                        .help = "cells along z that a thread computes, by cuda-bytes",
                        .unit = "cells",
                        .type = ENGINE_PARAM_INTEGER,
                        .flags = ENGINE_PARAM_TUNING,
                        .initial = "12",
                        .min = 1,
                        .max = 1 << 20},
    [PACKED_BLOCK_SIZE] = {.name = "block_size",
                           .help = "threads of a block, a multiple of 32, by cuda-bytes",
                           .unit = "threads",
                           .type = ENGINE_PARAM_INTEGER,
                           .flags = ENGINE_PARAM_TUNING,
                           .initial = "128",
                           .min = 32,
                           .max = 4096,
                           .check = check_block_size},
    [PACKED_OVERLAP] = LIFE3D_OVERLAP_PARAM("cuda-bytes"),
};

static const struct engine_field fields[] = {[PACKED_CELLS] = LIFE3D_CELLS_FIELD};

static const struct engine_metric metrics[] = {LIFE3D_POPULATION_METRIC};

static const struct engine_impl impls[] = {
    {.name = "cpu-serial",
     .help = "one thread, one byte a cell, 26 reads: the reference",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE,
     .rank = 1,
     .advance = life3d_serial_advance,
     .measure = life3d_measure},
    {.name = "cpu",
     .help = "one bit a cell, all threads and vectors, several steps a pass",
     .flags = ENGINE_EXACT,
     .rank = 10},
    {
        .name = "cuda-bytes",
        .help = "four cells of a byte each in a word, z_width of them a thread",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES,
        .rank = 12,
#ifdef ENGINE_WITH_CUDA
        .probe = packed_cuda_bytes_probe,
        .layout = packed_cuda_bytes_layout,
        .create = packed_cuda_bytes_create,
        .advance = packed_cuda_bytes_advance,
        .measure = packed_cuda_bytes_measure,
        .cost = packed_cuda_bytes_cost,
#endif
    },
    {.name = "cuda",
     .help = "one bit a cell, sums of planes kept in registers along z",
     .memory = ENGINE_CUDA_MEMORY,
     .flags = ENGINE_EXACT | ENGINE_ENQUEUES,
     .rank = 20},
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "life3d-packed",
    .version = "0.1.0",
    .summary = "3D Life on a torus, cells packed into words",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
