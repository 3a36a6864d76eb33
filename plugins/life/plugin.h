/* What the plugin.c of every plugin of two-dimensional Life needs: the parameter `rule`, the field `cells`, which must
 * be the first, and the metric `population` of cells in host memory. */
#ifndef LIFE_PLUGIN_H
#define LIFE_PLUGIN_H

#include <life/population.h>
#include <life/rule.h>

static int life_check_rule(const struct engine_host *host, const struct engine_value *value)
{
    struct life_rule rule;
    const char *wrong = life_rule_parse(value->text, &rule);
    return wrong ? ENGINE_FAIL(host, ENGINE_INVALID, "'%s' is not a rule: %s", value->text, wrong) : 0;
}

static int life_measure(void *self, const struct engine_call *call, double *values)
{
    (void) self;
    values[0] = (double) life_population(call, 0);
    return 0;
}

#define LIFE_RULE_PARAM \
    { \
        .name = "rule", .help = "numbers of live neighbours at which a cell is born and survives", \
        .type = ENGINE_PARAM_TEXT, .initial = "B3/S23", .check = life_check_rule, .file_key = "rule" \
    }

#define LIFE_CELLS_FIELD \
    { \
        .name = "cells", .help = "1 alive, 0 dead", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = ENGINE_U8, \
        .components = 1, .rank = 2, .values = 2, .reach = { \
            1, \
            1, \
            0 \
        } \
    }

#define LIFE_POPULATION_METRIC \
    { \
        "population", "cells", "cells that are alive" \
    }

#endif
