/* Golly's notation for larger-than-Life rules of two states and square neighbourhoods. */
#include "larger-than-life.h"

#include <stdio.h>
#include <string.h>

static const char *check_limits(const struct rule *rule)
{
    const uint32_t side = 2 * rule->radius + 1;
    for (int cell = 0; cell < CONDITIONS; cell++)
        if (rule->least[cell] > rule->most[cell] || rule->most[cell] > side * side)
            return "S and B take a range each of numbers up to the cells in the square";
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
        return "a rule like R5,C0,M1,S34..58,B34..45,NM was expected";
    if (rule->radius < 1 || rule->radius > RADIUS_MAX)
        return "the radius, R, is 1 to 10 here";
    if (states != 0 && states != 2)
        return "cells have two states here, C0 or C2";
    if (rule->middle > 1)
        return "M0 or M1 was expected: whether a live cell counts itself";
    return check_limits(rule);
}

struct rule rule_of(const struct engine_plan *plan)
{
    struct rule rule;
    rule_parse(engine_param_value(plan, RULE_TEXT)->text, &rule);
    return rule;
}
