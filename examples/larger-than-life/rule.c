/* Golly's notation for larger-than-Life rules of two states and square neighbourhoods. */
#include "larger-than-life.h"

#include <stdio.h>
#include <string.h>

static const char *check_limits(const struct rule *rule)
{
    const uint32_t side = 2 * rule->radius + 1;
    for (int cell = 0; cell < CONDITIONS; cell++)
        if (rule->least[cell] > rule->most[cell] || rule->most[cell] > side * side)
            return "S and B each need a range, low..high, of at most the number of cells in the square";
    return NULL;
}

const char *rule_parse(const char *text, struct rule *rule)
{
    uint32_t states;
    int end = 0;
    if (strspn(text, "RCMSBN0123456789.,") != strlen(text) ||
        sscanf(text, "R%4u,C%4u,M%4u,S%6u..%6u,B%6u..%6u%n", &rule->radius, &states, &rule->middle, &rule->least[ALIVE],
               &rule->most[ALIVE], &rule->least[DEAD], &rule->most[DEAD], &end) != 7 ||
        (text[end] != '\0' && strcmp(text + end, ",NM") != 0))
        return "expected a rule such as R5,C0,M1,S34..58,B34..45,NM";
    if (rule->radius < 1 || rule->radius > RADIUS_MAX)
        return "the radius R must be 1 to 50";
    if (states != 0 && states != 2)
        return "cells have two states, C0 or C2";
    if (rule->middle > 1)
        return "expected M0 or M1, which says whether a live cell counts itself";
    return check_limits(rule);
}

struct rule rule_of(const struct engine_plan *plan)
{
    struct rule rule;
    rule_parse(engine_param_text(plan, RULE_TEXT), &rule);
    return rule;
}

static void masks_of(uint32_t *masks, uint32_t limit)
{
    for (int bit = 0; bit < BITS_MAX; bit++)
        masks[bit] = limit >> bit & 1 ? 0 : UINT32_MAX;
}

struct bit_rule bit_rule_of(const struct engine_plan *plan)
{
    const struct rule rule = rule_of(plan);
    struct bit_rule bits = {.radius = rule.radius};
    while ((2 * rule.radius + 1) >> (bits.levels + 1))
        bits.levels++;
    for (int cell = 0; cell < CONDITIONS; cell++) {
        const uint32_t itself = cell == ALIVE && !rule.middle;
        masks_of(bits.least[cell], rule.least[cell] + itself);
        masks_of(bits.over[cell], rule.most[cell] + itself + 1);
    }
    return bits;
}
