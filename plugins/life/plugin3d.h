/* What the plugin.c of every plugin of three-dimensional Life needs: the parameter `rule` and the field `cells`, which
 * must be the first ones; the metric `population` (population.h); and the layout of implementations on CUDA. */
#ifndef LIFE_PLUGIN3D_H
#define LIFE_PLUGIN3D_H

#include <life/population.h>
#include <life/rule3d.h>

static int life3d_check_rule(const struct engine_host *host, const struct engine_value *value)
{
    struct life3d_rule rule;
    const char *wrong = life3d_rule_parse(value->text, &rule);
    return wrong ? ENGINE_FAIL(host, ENGINE_INVALID, "not a rule: %s", wrong) : 0;
}

/* No ghosts: the kernels wrap around the edges themselves. */
static inline int life3d_cuda_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                                     struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y | ENGINE_AXIS_Z;
    return 0;
}

#define LIFE3D_RULE_PARAM \
    { \
        .name = "rule", .help = "numbers of live neighbours (0 to 26) at which a cell is born (B) and survives (S)", \
        .type = ENGINE_PARAM_TEXT, .initial = "B6/S5..7", .check = life3d_check_rule, .file_key = "rule" \
    }

/* For the kernels of cuda3d.cuh. `who` names the implementations that have it. */
#define LIFE3D_OVERLAP_PARAM(who) \
    { \
        .name = "overlap", .help = who ": start the launch of a step before the previous launch has ended", \
        .type = ENGINE_PARAM_FLAG, .flags = ENGINE_PARAM_TUNING, .initial = "yes" \
    }

#define LIFE3D_CELLS_FIELD \
    { \
        .name = "cells", .help = "1 alive, 0 dead", .kind = ENGINE_GRID, .role = ENGINE_STATE, .type = ENGINE_U8, \
        .components = 1, .rank = 3, .values = 2, .reach = { \
            1, \
            1, \
            1 \
        } \
    }

#endif
