/* Larger than Life: Life whose neighbourhood is a large square. Kellie Michele Evans: Larger than Life:
 * Threshold-Range Scaling of Life's Coherent Structures, Physica D 183 (2003) 45. */
#include "larger-than-life.h"

/* The reach stands in a table, so it is that of the largest rule. */
static const struct engine_field fields[] = {
    [CELLS] = {ENGINE_GRID_FIELD("cells", "1 alive, 0 dead", ENGINE_STATE, ENGINE_U8, 2), .values = 2,
               .reach = {RADIUS_MAX, RADIUS_MAX, 0}},
};

static int check_rule(const struct engine_host *host, const struct engine_value *value)
{
    struct rule rule;
    const char *wrong = rule_parse(value->text, &rule);
    return wrong ? ENGINE_FAIL(host, ENGINE_INVALID, "'%s': %s", value->text, wrong) : 0;
}

/* The header of a pattern file sets the rule unless the configuration does. */
static const struct engine_param params[] = {
    [RULE_TEXT] = {ENGINE_TEXT_PARAM(
                       "rule", "in Golly's notation: radius, states, whether a cell counts itself, survivals, births",
                       "R5,C0,M1,S34..58,B34..45,NM"),
                   .check = check_rule, .file_key = "rule"},
};

static const struct engine_metric metrics[] = {
    [POPULATION] = {ENGINE_METRIC("population", "cells", "cells that are alive")},
};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "adds up each cell's square: the reference", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_DIVISIBLE),
     .advance = serial_advance, .measure = serial_measure},
    {ENGINE_HOST_IMPL("cpu", "bit planes: 512 cells at a time, on all threads", 10, ENGINE_EXACT | ENGINE_DIVISIBLE),
     .layout = bits_layout, .advance = cpu_advance, .measure = cpu_measure},
    {
        ENGINE_CUDA_IMPL("cuda", "bit planes: 1024 cells at a time in each warp", 20,
                         ENGINE_EXACT | ENGINE_ENQUEUES | ENGINE_DIVISIBLE),
        .layout = bits_layout,
#ifdef ENGINE_WITH_CUDA
        .create = cuda_create,
        .advance = cuda_advance,
        .measure = cuda_measure,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("larger-than-life", "0.1.0", "larger than Life: squares of radius 1 to 50, bugs among other things"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
};
