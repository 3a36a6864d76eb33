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
    [PACKED_STEPS_PER_PASS] = {.name = "steps_per_pass",
                               .help = "steps that one pass over the grid takes, by cpu; 0: chosen by the grid's size",
                               .unit = "steps",
                               .type = ENGINE_PARAM_INTEGER,
                               .flags = ENGINE_PARAM_TUNING,
                               .initial = "0",
                               .min = 0,
                               .max = 16},
    [PACKED_STRIPS] = {.name = "strips",
                       .help = "parts of the height that cpu steps one by one; 0: chosen by the grid's size",
                       .type = ENGINE_PARAM_INTEGER,
                       .flags = ENGINE_PARAM_TUNING,
                       .initial = "0",
                       .min = 0,
                       .max = 1 << 16},
    [PACKED_SLABS] = {.name = "slabs",
                      .help = "parts of the depth that cpu steps one by one; 0: chosen by the grid's size",
                      .type = ENGINE_PARAM_INTEGER,
                      .flags = ENGINE_PARAM_TUNING,
                      .initial = "0",
                      .min = 0,
                      .max = 1 << 16},
    [PACKED_RULE_KERNEL] = LIFE_RULE_KERNEL_PARAM("B6/S5..7"),
    [PACKED_TILE] = {.name = "tile",
                     .help = "how much of a row a block of cuda takes; 0: chosen by the grid's size",
                     .unit = "groups of 128 cells",
                     .type = ENGINE_PARAM_INTEGER,
                     .flags = ENGINE_PARAM_TUNING,
                     .initial = "0",
                     .min = 0,
                     .max = 30},
    [PACKED_WARPS] = {.name = "warps",
                      .help = "warps of a block of cuda, or the most that a kernel takes; 0: chosen by the grid's size",
                      .type = ENGINE_PARAM_INTEGER,
                      .flags = ENGINE_PARAM_TUNING,
                      .initial = "0",
                      .min = 0,
                      .max = 16},
    [PACKED_BLOCKS] = {.name = "blocks",
                       .help = "blocks of cuda that share the grid, or if it is resident the most of them; 0: at most "
                               "one a multiprocessor",
                       .type = ENGINE_PARAM_INTEGER,
                       .flags = ENGINE_PARAM_TUNING,
                       .initial = "0",
                       .min = 0,
                       .max = 1 << 20},
    [PACKED_FORM] = {.name = "form",
                     .help = "cuda: the grid streams through the chip, or stays resident on it; auto: resident where "
                             "it fits",
                     .type = ENGINE_PARAM_CHOICE,
                     .flags = ENGINE_PARAM_TUNING,
                     .initial = "auto",
                     .choices = life_forms},
    [PACKED_MARCH] = {.name = "march",
                      .help = "rows of a resident tile that lanes take one after the other, rounded up to fours; 0: "
                              "chosen by the grid's size",
                      .type = ENGINE_PARAM_INTEGER,
                      .flags = ENGINE_PARAM_TUNING,
                      .initial = "0",
                      .min = 0,
                      .max = 1024},
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
    LIFE3D_SERIAL_IMPL,
    {.name = "cpu",
     .help = "one bit a cell, all threads and vectors, several steps a pass",
     .flags = ENGINE_EXACT | ENGINE_OVERWRITES,
     .rank = 10,
     .batch = 16,
     .probe = packed_cpu_probe,
     .layout = packed_cpu_layout,
     .create = packed_cpu_create,
     .advance = packed_cpu_advance,
     .measure = packed_cpu_measure,
     .cost = packed_cpu_cost},
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
    {
        .name = "cuda",
        .help = "one bit a cell, sums of planes kept in registers along z, two steps a launch or all",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES,
        .rank = 20,
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
    .abi = ENGINE_ABI(0),
    .name = "life3d-packed",
    .version = "0.1.0",
    .summary = "3D Life on a torus, cells packed into words",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
