/* life3d-packed: three-dimensional Life, several cells a word. */
#include "packed.h"

#include <life/plugin3d.h>
#include <life/serial3d.h>

static const struct engine_param params[] = {
    [PACKED_RULE] = LIFE3D_RULE_PARAM,
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
