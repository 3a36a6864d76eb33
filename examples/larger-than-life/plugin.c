/* Larger than Life: Life with a large square for a neighbourhood. Kellie Michele Evans: Larger than Life:
 * Threshold-Range Scaling of Life's Coherent Structures, Physica D 183 (2003) 45. */
#include "larger-than-life.h"

/* The reach is that of the largest rule: how far a field reaches stands in a table. */
static const struct engine_field fields[] = {
    [CELLS] = {.name = "cells",
               .help = "1 alive, 0 dead",
               .kind = ENGINE_GRID,
               .role = ENGINE_STATE,
               .type = ENGINE_U8,
               .components = 1,
               .rank = 2,
               .values = 2,
               .reach = {RADIUS_MAX, RADIUS_MAX, 0}},
};

static int check_rule(const struct engine_host *host, const struct engine_value *value)
{
    struct rule rule;
    const char *wrong = rule_parse(value->text, &rule);
    return wrong ? ENGINE_FAIL(host, ENGINE_INVALID, "'%s': %s", value->text, wrong) : 0;
}

/* A pattern's file sets the rule unless the configuration does. */
static const struct engine_param params[] = {
    [RULE_TEXT] = {.name = "rule",
                   .help = "radius, states, whether a cell counts itself, survivals, births, as Golly writes it",
                   .type = ENGINE_PARAM_TEXT,
                   .initial = "R5,C0,M1,S34..58,B34..45,NM",
                   .check = check_rule,
                   .file_key = "rule"},
};

static const struct engine_metric metrics[] = {
    [POPULATION] = {"population", "cells", "cells that are alive"},
};

static const struct engine_impl impls[] = {
    {.name = "cpu-serial",
     .help = "adds up each cell's square: the reference",
     .flags = ENGINE_EXACT | ENGINE_REFERENCE,
     .rank = 1,
     .advance = serial_advance,
     .measure = cpu_measure},
    {.name = "cpu",
     .help = "sums that slide along columns and rows, on all threads",
     .flags = ENGINE_EXACT,
     .rank = 10,
     .create = cpu_create,
     .advance = cpu_advance,
     .measure = cpu_measure},
    {
        .name = "cuda",
        .help = "a thread a column, whose sum slides down; rows are added up in shared memory",
        .memory = ENGINE_CUDA_MEMORY,
        .flags = ENGINE_EXACT | ENGINE_ENQUEUES,
        .rank = 20,
#ifdef ENGINE_WITH_CUDA
        .create = cuda_create,
        .advance = cuda_advance,
        .measure = cuda_measure,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    .abi = ENGINE_ABI(0),
    .name = "larger-than-life",
    .version = "0.1.0",
    .summary = "larger than Life: squares of radius 1 to 10, bugs among other things",
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
