/* life3d-naive: three-dimensional Life, one byte a cell. */
#include "naive.h"

#include <life/plugin3d.h>
#include <life/serial3d.h>

static const struct engine_param params[] = {
    [NAIVE_RULE] = LIFE3D_RULE_PARAM,
};

static const struct engine_field fields[] = {[NAIVE_CELLS] = LIFE3D_CELLS_FIELD};

static const struct engine_metric metrics[] = {LIFE3D_POPULATION_METRIC};

static const struct engine_impl impls[] = {
    {.name = "cpu-serial",
     .help = "one thread, one byte a cell, 26 reads: the reference",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE,
     .rank = 1,
     .advance = life3d_serial_advance,
     .measure = life3d_measure},
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
