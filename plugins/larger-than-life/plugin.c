/* Larger than Life: Life whose neighbourhood is large. Kellie Michele Evans: Larger than Life: Threshold-Range Scaling
 * of Life's Coherent Structures, Physica D 183 (2003) 45. */
#include "ltl.h"

#include <common/cost.h>
#include <common/fading.h>
#include <common/isa_choice.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Here is the reach of the largest rule; `reach` states that of the rule. */
static const struct engine_field fields[] = {
    [LTL_CELLS] = {ENGINE_GRID_FIELD("cells", "0 dead, 1 alive, 2 and above dying", ENGINE_STATE, ENGINE_U8, 2),
                   .values = LTL_STATES_MAX, .reach = {LTL_RADIUS_MAX, LTL_RADIUS_MAX, 0}},
};

static int check_rule(const struct engine_host *host, const struct engine_value *value)
{
    struct ltl_rule rule;
    const char *at, *wrong = ltl_parse_at(value->text, &rule, &at);
    if (!wrong)
        return 0;
    return *at ? ENGINE_FAIL(host, ENGINE_INVALID, "not a rule: at character %d, '%c': %s",
                             (int) (at - value->text) + 1, *at, wrong)
               : ENGINE_FAIL(host, ENGINE_INVALID, "not a rule: at its end: %s", wrong);
}

/* Finds the counts of a rule. Returns false if they are not one range. */
static bool range_of(const uint32_t *counts, uint32_t most, uint32_t range[2])
{
    uint32_t ranges = 0;
    for (int32_t count = 0; count <= (int32_t) most; count++) {
        if (!ltl_holds(counts, count))
            continue;
        range[0] = ranges > 0 && range[1] + 1 == (uint32_t) count ? range[0] : (uint32_t) count;
        ranges += range[0] == (uint32_t) count;
        range[1] = (uint32_t) count;
    }
    return ranges == 1;
}

/* Does a rule say whether a live cell counts itself? Those of five numbers always do. */
static bool states_middle(const char *value)
{
    return isdigit((unsigned char) *value) || toupper((unsigned char) strchr(strchr(value, ',') + 1, ',')[1]) == 'M';
}

/* Golly 3's spelling of the rules that it reads: one range each of survivals and births, and M. Others stay as they
 * are. */
static int spell_rule(const char *value, char *text, uint64_t size)
{
    struct ltl_rule rule;
    const char *at;
    uint32_t births[2], survivals[2];
    if (ltl_parse_at(value, &rule, &at) != NULL || strchr("MNC", rule.neighbourhood) == NULL || !states_middle(value) ||
        !range_of(rule.counts[LTL_DEAD], rule.most, births) || !range_of(rule.counts[LTL_ALIVE], rule.most, survivals))
        return ENGINE_INVALID;
    const int length =
        snprintf(text, size, "R%u,C%u,M%d,S%u..%u,B%u..%u,N%c", rule.radius, rule.states > 2 ? rule.states : 0,
                 (int) rule.middle, survivals[0], survivals[1], births[0], births[1], rule.neighbourhood);
    return length > 0 && (uint64_t) length < size ? 0 : ENGINE_INVALID;
}

static int values(const struct engine_host *host, const struct engine_plan *plan, uint32_t field, uint32_t *values)
{
    (void) host, (void) field;
    struct ltl_rule rule;
    ltl_plan_rule(plan, &rule);
    *values = rule.states;
    return 0;
}

static int colours(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                   uint8_t (*colours)[3], uint32_t *count)
{
    uint32_t states;
    const int status = values(host, plan, field, &states);
    if (status == 0)
        fading_colours(states, colours, count);
    return status;
}

static void reach(const struct engine_plan *plan, uint32_t field, uint32_t reach[3])
{
    (void) field;
    struct ltl_rule rule;
    ltl_plan_rule(plan, &rule);
    if (rule.radius < reach[0])
        reach[0] = reach[1] = rule.radius;
}

static const void *extension(const char *name, uint32_t version)
{
    static const struct engine_colours colours_table = {.size = sizeof colours_table, .colours = colours};
    static const struct engine_reach reach_table = {.size = sizeof reach_table, .reach = reach};
    if (version != 1)
        return NULL;
    return strcmp(name, ENGINE_COLOURS) == 0 ? (const void *) &colours_table
           : strcmp(name, ENGINE_REACH) == 0 ? (const void *) &reach_table
                                             : NULL;
}

/* The header of a pattern file sets the rule unless the configuration does. */
static const struct engine_param params[] = {
    [LTL_RULE] = {ENGINE_TEXT_PARAM("rule",
                                    "in Golly's notation: radius, states, whether a cell counts itself, survivals, "
                                    "births, neighbourhood",
                                    "R5,C0,M1,S34..58,B34..45,NM"),
                  .check = check_rule, .file_key = "rule", .spell = spell_rule},
    [LTL_INSTRUCTIONS] = ISA_INSTRUCTIONS_PARAM(ENGINE_PARAM_TUNING),
};

static const struct engine_metric metrics[] = {
    [LTL_POPULATION] = {ENGINE_METRIC("population", "cells", "cells that are alive: of state 1")},
    [LTL_DYING] = {ENGINE_METRIC("dying", "cells", "cells of state 2 and above")},
};

static const struct engine_impl impls[] = {
    {ENGINE_HOST_IMPL("cpu-serial", "adds up each cell's neighbourhood: the reference", 1,
                      ENGINE_EXACT | ENGINE_REFERENCE | ENGINE_SERIAL | ENGINE_DIVISIBLE | ENGINE_UNIFORM),
     .probe = ltl_probe, .layout = ltl_serial_layout, .advance = ltl_serial_advance, .measure = ltl_serial_measure,
     .cost = cost_of_bytes},
    {ENGINE_HOST_IMPL("cpu", "squares in bit planes, other neighbourhoods by sums along rows; on all threads", 10,
                      ENGINE_EXACT | ENGINE_DIVISIBLE | ENGINE_UNIFORM),
     .probe = ltl_cpu_probe, .layout = ltl_layout, .create = ltl_cpu_create, .advance = ltl_cpu_advance,
     .measure = ltl_cpu_measure, .cost = ltl_cpu_cost},
    {
        ENGINE_CUDA_IMPL("cuda", "squares in bit planes, 1024 cells at a time in each warp; others by sums along rows",
                         20, ENGINE_EXACT | ENGINE_ENQUEUES | ENGINE_DIVISIBLE | ENGINE_UNIFORM),
        .layout = ltl_layout,
#ifdef ENGINE_WITH_CUDA
        .probe = ltl_cuda_probe,
        .create = ltl_cuda_create,
        .advance = ltl_cuda_advance,
        .measure = ltl_cuda_measure,
        .cost = ltl_cuda_cost,
#endif
    },
};

ENGINE_EXPORT const struct engine_plugin engine_plugin = {
    ENGINE_PLUGIN("larger-than-life", "0.2.0",
                  "larger than Life: neighbourhoods of radius 1 to 500, bugs among other things"),
    .params = ENGINE_ARRAY(params),
    .fields = ENGINE_ARRAY(fields),
    .metrics = ENGINE_ARRAY(metrics),
    .impls = ENGINE_ARRAY(impls),
    .values = values,
    .extension = extension,
};
