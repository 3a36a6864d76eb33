/* life3d-packed: three-dimensional Life, several cells a word. */
#define ENGINE_MINOR 5 /* for ENGINE_DIVISIBLE | ENGINE_UNIFORM */
#include "packed.h"

#include <common/isa_choice.h>
#include <life/cuda_choices.h>
#include <life/plugin3d.h>
#include <life/serial3d.h>

static int check_block_size(const struct engine_host *host, const struct engine_value *value)
{
    return value->integer % 32 == 0
               ? 0
               : ENGINE_FAIL(host, ENGINE_INVALID, "expected a multiple of 32, the number of threads in a warp");
}

static const struct engine_param params[] = {
    [PACKED_RULE] = LIFE3D_RULE_PARAM,
    [PACKED_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(ENGINE_PARAM_TUNING),
    [PACKED_STEPS_PER_PASS] = {ENGINE_INTEGER_PARAM(
                                   "steps_per_pass",
                                   "cpu: steps that one pass over the grid takes; 0: chosen from the grid size", "0", 0,
                                   16),
                               .unit = "steps", .flags = ENGINE_PARAM_TUNING},
    [PACKED_STRIPS] = {ENGINE_INTEGER_PARAM(
                           "strips",
                           "cpu: parts of the height that are computed one after another; 0: chosen from the grid size",
                           "0", 0, 1 << 16),
                       .flags = ENGINE_PARAM_TUNING},
    [PACKED_SLABS] = {ENGINE_INTEGER_PARAM(
                          "slabs",
                          "cpu: parts of the depth that are computed one after another; 0: chosen from the grid size",
                          "0", 0, 1 << 16),
                      .flags = ENGINE_PARAM_TUNING},
    [PACKED_RULE_KERNEL] = LIFE_RULE_KERNEL_PARAM("B6/S5..7"),
    [PACKED_TILE] = {ENGINE_INTEGER_PARAM(
                         "tile", "cuda: length of the part of a row that a block takes; 0: chosen from the grid size",
                         "0", 0, 30),
                     .unit = "groups of 128 cells", .flags = ENGINE_PARAM_TUNING},
    [PACKED_WARPS] =
        {ENGINE_INTEGER_PARAM(
             "warps", "cuda: warps per block, reduced to the most that the kernel allows; 0: chosen from the grid size",
             "0", 0, 16),
         .flags = ENGINE_PARAM_TUNING},
    [PACKED_BLOCKS] = {ENGINE_INTEGER_PARAM("blocks",
                                            "cuda: number of blocks, or their largest number if the grid is resident; "
                                            "0: at most one per multiprocessor",
                                            "0", 0, 1 << 20),
                       .flags = ENGINE_PARAM_TUNING},
    [PACKED_FORM] = {ENGINE_CHOICE_PARAM("form",
                                         "cuda: streaming: the grid passes through the chip in each launch; resident: "
                                         "it stays on the chip between steps; auto: resident if it fits",
                                         "auto", life_forms),
                     .flags = ENGINE_PARAM_TUNING},
    [PACKED_MARCH] = {ENGINE_INTEGER_PARAM("march",
                                           "cuda, resident: rows of a tile that a lane takes one after another, "
                                           "rounded up to a multiple of 4; 0: chosen from the grid size",
                                           "0", 0, 1024),
                      .flags = ENGINE_PARAM_TUNING},
    [PACKED_Z_WIDTH] = {ENGINE_INTEGER_PARAM("z_width", "cuda-bytes: cells along z that a thread computes", "12", 1,
                                             1 << 20),
                        .unit = "cells", .flags = ENGINE_PARAM_TUNING},
    [PACKED_BLOCK_SIZE] = {ENGINE_INTEGER_PARAM("block_size", "cuda-bytes: threads per block, a multiple of 32", "128",
                                                32, 4096),
                           .unit = "threads", .flags = ENGINE_PARAM_TUNING, .check = check_block_size},
    [PACKED_OVERLAP] = LIFE3D_OVERLAP_PARAM("cuda-bytes"),
};

static const struct engine_field fields[] = {[PACKED_CELLS] = LIFE3D_CELLS_FIELD};

static const struct engine_metric metrics[] = {LIFE_POPULATION_METRIC};

static const struct engine_impl impls[] = {
    LIFE3D_SERIAL_IMPL,
    {ENGINE_HOST_IMPL("cpu", "one bit per cell, all threads, vector instructions, several steps per pass", 10,
                      ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_DIVISIBLE | ENGINE_UNIFORM | ENGINE_DEAD_EDGES),
     .batch = 16, .probe = packed_cpu_probe, .layout = packed_cpu_layout, .create = packed_cpu_create,
     .advance = packed_cpu_advance, .measure = packed_cpu_measure, .cost = packed_cpu_cost},
    {
        ENGINE_CUDA_IMPL(
            "cuda-text",
            "one byte per cell, four cells per thread, a row per block: the third kernel of the 3D Life text", 0,
            ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES),
#ifdef ENGINE_WITH_CUDA
        .probe = packed_cuda_text_probe,
        .layout = packed_cuda_text_layout,
        .create = packed_cuda_text_create,
        .advance = packed_cuda_text_advance,
        .measure = packed_cuda_bytes_measure,
        .cost = cost_of_bytes,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda-bytes", "one byte per cell, words of four cells, z_width planes per thread", 12,
                         ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES | ENGINE_DIVISIBLE | ENGINE_UNIFORM |
                             ENGINE_DEAD_EDGES),
#ifdef ENGINE_WITH_CUDA
        .probe = packed_cuda_bytes_probe,
        .layout = packed_cuda_bytes_layout,
        .create = packed_cuda_bytes_create,
        .advance = packed_cuda_bytes_advance,
        .measure = packed_cuda_bytes_measure,
        .cost = cost_of_bytes,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda",
                         "one bit per cell, keeps sums of planes in registers along z, two steps per launch, or all "
                         "steps if the grid is resident",
                         20,
                         ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES | ENGINE_DIVISIBLE | ENGINE_UNIFORM |
                             ENGINE_DEAD_EDGES),
        .batch = 2,
#ifdef ENGINE_WITH_CUDA
        .probe = packed_cuda_probe,
        .layout = packed_cuda_layout,
        .create = packed_cuda_create,
        .advance = packed_cuda_advance,
        .measure = packed_cuda_measure,
        .destroy = packed_cuda_destroy,
        .cost = packed_cuda_cost,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("life3d-packed", "0.1.0", "3D Life, cells packed into words"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
