/* life2d-bit: two-dimensional Life-like cellular automata, one bit a cell. */
#include "life2d.h"

#include <common/isa_choice.h>
#include <life/cuda_choices.h>
#include <life/plugin.h>

static const struct engine_param params[] = {
    [LIFE2D_RULE] = LIFE_RULE_PARAM,
    [LIFE2D_BYTES_PER_THREAD] = {.name = "bytes_per_thread",
                                 .help = "consecutive bytes evaluated at a stretch, by cpu-serial, cuda-bytes and "
                                         "cuda-words (whole words of 4); 0: what does best there",
                                 .unit = "bytes of 8 cells",
                                 .type = ENGINE_PARAM_INTEGER,
                                 .flags = ENGINE_PARAM_TUNING,
                                 .initial = "0",
                                 .min = 0,
                                 .max = 1 << 20},
    [LIFE2D_STEPS_PER_PASS] = {.name = "steps_per_pass",
                               .help = "steps that one pass over the grid takes, by cpu; 0: chosen by the grid's size",
                               .unit = "steps",
                               .type = ENGINE_PARAM_INTEGER,
                               .flags = ENGINE_PARAM_TUNING,
                               .initial = "0",
                               .min = 0,
                               .max = 256},
    [LIFE2D_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(ENGINE_PARAM_TUNING),
    [LIFE2D_BLOCK_SIZE] = {.name = "block_size",
                           .help = "threads of a block, by cuda-bytes and cuda-words",
                           .unit = "threads",
                           .type = ENGINE_PARAM_INTEGER,
                           .flags = ENGINE_PARAM_TUNING,
                           .initial = "128",
                           .min = 1,
                           .max = 4096},
    [LIFE2D_FORM] = {.name = "form",
                     .help = "where cuda keeps the grid between steps: streamed through the chip, or resident on it",
                     .type = ENGINE_PARAM_CHOICE,
                     .flags = ENGINE_PARAM_TUNING,
                     .initial = "auto",
                     .choices = life_forms},
    [LIFE2D_RULE_KERNEL] = LIFE_RULE_KERNEL_PARAM("B3/S23"),
    [LIFE2D_BANDS] = {.name = "bands",
                      .help = "parts of the height that cuda streams side by side; 0: as many as fill the device",
                      .type = ENGINE_PARAM_INTEGER,
                      .flags = ENGINE_PARAM_TUNING,
                      .initial = "0",
                      .min = 0,
                      .max = 1 << 16},
    [LIFE2D_DEPTH] = {.name = "depth",
                      .help = "steps between exchanges of cuda's resident blocks; 0: 8",
                      .unit = "steps",
                      .type = ENGINE_PARAM_INTEGER,
                      .flags = ENGINE_PARAM_TUNING,
                      .initial = "0",
                      .min = 0,
                      .max = 32},
    [LIFE2D_STRIP_ROWS] = {.name = "strip_rows",
                           .help =
                               "rows that a lane of cuda's resident form holds: 1, 2, 3 or 5; 0: the fewest that fit",
                           .unit = "rows",
                           .type = ENGINE_PARAM_INTEGER,
                           .flags = ENGINE_PARAM_TUNING,
                           .initial = "0",
                           .min = 0,
                           .max = 5},
};

static const struct engine_field fields[] = {[LIFE2D_CELLS] = LIFE_CELLS_FIELD};

static const struct engine_metric metrics[] = {LIFE_POPULATION_METRIC};

static const struct engine_impl impls[] = {
    {.name = "cpu-serial",
     .help = "one thread, eight cells at a time: the reference",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE,
     .rank = 1,
     .layout = life2d_serial_layout,
     .advance = life2d_serial_advance,
     .measure = life_measure},
    {.name = "cpu",
     .help = "all threads and vectors, many steps a pass, in place",
     .flags = ENGINE_EXACT | ENGINE_IN_PLACE,
     .rank = 10,
     .batch = 48,
     .probe = life2d_cpu_probe,
     .layout = life2d_cpu_layout,
     .create = life2d_cpu_create,
     .advance = life2d_cpu_advance,
     .measure = life_measure,
     .cost = life2d_cpu_cost},
    {
        .name = "cuda-bytes",
        .help = "neighbours counted a byte of eight cells at a time, one step a launch",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_ENQUEUES,
        .rank = 12,
#ifdef ENGINE_WITH_CUDA
        .layout = life2d_cuda_bytes_layout,
        .create = life2d_cuda_count_create,
        .advance = life2d_cuda_bytes_advance,
        .measure = life2d_cuda_count_measure,
        .cost = life2d_cuda_bytes_cost,
#endif
    },
    {
        .name = "cuda-words",
        .help = "the same a word of 32 cells at a time",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_ENQUEUES,
        .rank = 14,
#ifdef ENGINE_WITH_CUDA
        .layout = life2d_cuda_words_layout,
        .create = life2d_cuda_count_create,
        .advance = life2d_cuda_words_advance,
        .measure = life2d_cuda_count_measure,
        .cost = life2d_cuda_words_cost,
#endif
    },
    {
        .name = "cuda",
        .help = "bit-sliced adders in registers, eight steps a launch, or all of them with the grid on the chip",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_OVERWRITES | ENGINE_ENQUEUES,
        .rank = 20,
        .batch = 8,
#ifdef ENGINE_WITH_CUDA
        .probe = life2d_cuda_probe,
        .layout = life2d_cuda_layout,
        .create = life2d_cuda_create,
        .advance = life2d_cuda_advance,
        .measure = life2d_cuda_measure,
        .destroy = life2d_cuda_destroy,
        .cost = life2d_cuda_cost,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "life2d-bit",
    .version = "0.1.0",
    .summary = "2D Life and its relatives B…/S… on a torus, one bit a cell",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
