/* What the plugin.c of every plugin of two-dimensional Life needs: the parameter `rule` and the field `cells`, which
 * must be the first ones; the metric `population` (population.h); and the layout of the fast implementations. */
#ifndef LIFE_PLUGIN_H
#define LIFE_PLUGIN_H

#include <life/population.h>
#include <life/rule.h>

static int life_check_rule(const struct engine_host *host, const struct engine_value *value)
{
    struct life_rule rule;
    size_t place;
    const char *wrong = life_rule_parse(value->text, &rule, &place);
    if (!wrong)
        return 0;
    if (value->text[place] == '\0')
        return ENGINE_FAIL(host, ENGINE_INVALID, "not a rule: %s", wrong);
    return ENGINE_FAIL(host, ENGINE_INVALID, "not a rule: '%c', character %u: %s", value->text[place],
                       (unsigned) place + 1, wrong);
}

static int life_spell_rule(const char *value, char *text, uint64_t size)
{
    struct life_rule rule;
    size_t place;
    if (size < LIFE_RULE_TEXT || life_rule_parse(value, &rule, &place) != NULL)
        return ENGINE_INVALID;
    life_rule_write(&rule, text);
    return 0;
}

/* Rows of 64-bit words from whole cache lines on. No ghosts: the implementation wraps around the edges itself. */
static inline int life_cpu_layout(const struct engine_host *host, const struct engine_plan *plan, uint32_t field,
                                  struct engine_layout *layout)
{
    (void) host, (void) plan, (void) field;
    layout->cell_bits = 1;
    layout->word_bytes = 8;
    layout->row_align = 64;
    layout->wraps = ENGINE_AXIS_X | ENGINE_AXIS_Y;
    return 0;
}

#define LIFE_RULE_PARAM \
    { \
        .name = "rule", \
        .help = "numbers of live neighbours (0 to 8) at which a cell is born (B) and survives (S), such as " \
                "B3/S23, B2-a/S12, B2/S34H; or MAP and base64", \
        .type = ENGINE_PARAM_TEXT, .initial = "B3/S23", .check = life_check_rule, .file_key = "rule", \
        .spell = life_spell_rule \
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

#endif
