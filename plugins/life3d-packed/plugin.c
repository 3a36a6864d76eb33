/* life3d-packed: three-dimensional Life, several cells a word. */
#include "packed.h"

#include <life/plugin3d.h>
#include <life/serial3d.h>

static const char *const instruction_sets[] = {"auto", "avx512", "avx2", "plain", NULL};

static const struct engine_param params[] = {
    [PACKED_RULE] = LIFE3D_RULE_PARAM,
    [PACKED_INSTRUCTIONS] = {.name = "instructions",
                             .help = "instruction set used by cpu; auto: the widest that this machine has",
                             .type = ENGINE_PARAM_CHOICE,
                             .flags = ENGINE_PARAM_TUNING,
                             .initial = "auto",
                             .choices = instruction_sets},
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
     .flags = ENGINE_EXACT | ENGINE_OVERWRITES,
     .rank = 10,
     .batch = 16,
     .probe = packed_cpu_probe,
     .layout = packed_cpu_layout,
     .create = packed_cpu_create,
     .advance = packed_cpu_advance,
     .measure = packed_cpu_measure,
     .cost = packed_cpu_cost},
    {.name = "cuda-bytes",
     .help = "four cells of a byte each in a word, z_width of them a thread",
     .memory = ENGINE_CUDA_MEMORY,
     .flags = ENGINE_EXACT | ENGINE_ENQUEUES,
     .rank = 12},
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
