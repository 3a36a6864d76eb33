/* life3d-packed: three-dimensional Life, several cells a word. */
#include "packed.h"

#include <common/isa_choice.h>
#include <life/cuda_choices.h>
#include <life/plugin3d.h>
#include <life/serial3d.h>

static int check_block_size(const struct engine_host *host, const struct engine_value *value)
{
    return value->integer % 32 == 0
               ? 0
               : ENGINE_FAIL(host, ENGINE_INVALID,
                             "the threads of a block must be a multiple of 32, the threads of a warp");
}

static const struct engine_param params[] = {
    [PACKED_RULE] = LIFE3D_RULE_PARAM,
    [PACKED_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(ENGINE_PARAM_TUNING),
    [PACKED_STEPS_PER_PASS] = {ENGINE_INTEGER_PARAM(
                                   "steps_per_pass",
                                   "steps that one pass over the grid takes, by cpu; 0: chosen by the grid's size", "0",
                                   0, 16),
                               .unit = "steps", .flags = ENGINE_PARAM_TUNING},
    [PACKED_STRIPS] = {ENGINE_INTEGER_PARAM(
                           "strips", "parts of the height that cpu steps one by one; 0: chosen by the grid's size", "0",
                           0, 1 << 16),
                       .flags = ENGINE_PARAM_TUNING},
    [PACKED_SLABS] = {ENGINE_INTEGER_PARAM("slabs",
                                           "parts of the depth that cpu steps one by one; 0: chosen by the grid's size",
                                           "0", 0, 1 << 16),
                      .flags = ENGINE_PARAM_TUNING},
    [PACKED_RULE_KERNEL] = LIFE_RULE_KERNEL_PARAM("B6/S5..7"),
    [PACKED_TILE] = {ENGINE_INTEGER_PARAM(
                         "tile", "how much of a row a block of cuda takes; 0: chosen by the grid's size", "0", 0, 30),
                     .unit = "groups of 128 cells", .flags = ENGINE_PARAM_TUNING},
    [PACKED_WARPS] = {ENGINE_INTEGER_PARAM(
                          "warps",
                          "warps of a block of cuda, or the most that a kernel takes; 0: chosen by the grid's size",
                          "0", 0, 16),
                      .flags = ENGINE_PARAM_TUNING},
    [PACKED_BLOCKS] = {ENGINE_INTEGER_PARAM(
                           "blocks",
                           "blocks of cuda that share the grid, or if it is resident the most of them; 0: at most "
                           "one a multiprocessor",
                           "0", 0, 1 << 20),
                       .flags = ENGINE_PARAM_TUNING},
    [PACKED_FORM] = {ENGINE_CHOICE_PARAM(
                         "form",
                         "cuda: the grid streams through the chip, or stays resident on it; auto: resident where "
                         "it fits",
                         "auto", life_forms),
                     .flags = ENGINE_PARAM_TUNING},
    [PACKED_MARCH] = {ENGINE_INTEGER_PARAM(
                          "march",
                          "rows of a resident tile that lanes take one after the other, rounded up to fours; 0: "
                          "chosen by the grid's size",
                          "0", 0, 1024),
                      .flags = ENGINE_PARAM_TUNING},
    [PACKED_Z_WIDTH] = {ENGINE_INTEGER_PARAM("z_width", "cells along z that a thread computes, by cuda-bytes", "12", 1,
                                             1 << 20),
                        .unit = "cells", .flags = ENGINE_PARAM_TUNING},
    [PACKED_BLOCK_SIZE] = {ENGINE_INTEGER_PARAM("block_size", "threads of a block, a multiple of 32, by cuda-bytes",
                                                "128", 32, 4096),
                           .unit = "threads", .flags = ENGINE_PARAM_TUNING, .check = check_block_size},
    [PACKED_OVERLAP] = LIFE3D_OVERLAP_PARAM("cuda-bytes"),
};

static const struct engine_field fields[] = {[PACKED_CELLS] = LIFE3D_CELLS_FIELD};

static const struct engine_metric metrics[] = {LIFE_POPULATION_METRIC};

static const struct engine_impl impls[] = {
    LIFE3D_SERIAL_IMPL,
    {ENGINE_HOST_IMPL("cpu", "one bit a cell, all threads and vectors, several steps a pass", 10,
                      ENGINE_EXACT | ENGINE_OVERWRITES),
     .batch = 16, .probe = packed_cpu_probe, .layout = packed_cpu_layout, .create = packed_cpu_create,
     .advance = packed_cpu_advance, .measure = packed_cpu_measure, .cost = packed_cpu_cost},
    {
        ENGINE_CUDA_IMPL("cuda-bytes", "four cells of a byte each in a word, z_width of them a thread", 12,
                         ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES),
#ifdef ENGINE_WITH_CUDA
        .probe = packed_cuda_bytes_probe,
        .layout = packed_cuda_bytes_layout,
        .create = packed_cuda_bytes_create,
        .advance = packed_cuda_bytes_advance,
        .measure = packed_cuda_bytes_measure,
        .cost = packed_cuda_bytes_cost,
#endif
    },
    {
        ENGINE_CUDA_IMPL("cuda", "one bit a cell, sums of planes kept in registers along z, two steps a launch or all",
                         20, ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES),
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
    ENGINE_PLUGIN("life3d-packed", "0.1.0", "3D Life on a torus, cells packed into words"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
