/* Rules of Life-like cellular automata: the number of live neighbours, of eight, determines whether a cell is born or
 * survives. The CPU and CUDA share this header. */
#ifndef LIFE_RULE_H
#define LIFE_RULE_H

#include <engine/plugin.h>
#include <stdint.h>
#include <string.h>

/* Bit n of `birth`: a dead cell with n live neighbours is born. Bit n of `survive`: a live cell with n survives. n = 0
 * … 8. */
struct life_rule {
    uint32_t birth, survive;
};

#define LIFE_RULE_EXAMPLE "; an example of a rule is B3/S23"

/* Reads digits 0 to 8 into a mask, and advances *text. */
static inline uint32_t life_rule_digits(const char **text)
{
    uint32_t mask = 0;
    for (; **text >= '0' && **text <= '8'; ++*text)
        mask |= 1u << (**text - '0');
    return mask;
}

/* Says why this character cannot follow. */
static inline const char *life_rule_unexpected(char c)
{
    if (c == '9')
        return "expected digits from 0 to 8, because a cell has eight neighbours";
    if (c == '/')
        return "it has too many slashes" LIFE_RULE_EXAMPLE;
    if (c == '\0')
        return "it ends too early" LIFE_RULE_EXAMPLE;
    return "a rule consists of B, S, digits 0 to 8 (numbers of live neighbours) and one slash" LIFE_RULE_EXAMPLE;
}

/* Reads B3/S23, in either order and case, with or without the slash. */
static inline const char *life_rule_lettered(const char *text, struct life_rule *rule)
{
    uint32_t *given = NULL;
    for (int part = 0; part < 2; part++) {
        if (*text == '\0' || strchr("bBsS", *text) == NULL)
            return *text ? life_rule_unexpected(*text) : "B or S is missing" LIFE_RULE_EXAMPLE;
        uint32_t *mask = *text == 'b' || *text == 'B' ? &rule->birth : &rule->survive;
        if (mask == given)
            return "B or S is given twice" LIFE_RULE_EXAMPLE;
        given = mask;
        text++;
        *mask = life_rule_digits(&text);
        if (part == 0 && *text == '/')
            text++;
    }
    return *text ? life_rule_unexpected(*text) : NULL;
}

/* Reads survival and birth as in 23/3. */
static inline const char *life_rule_numeric(const char *text, struct life_rule *rule)
{
    rule->survive = life_rule_digits(&text);
    if (*text != '/')
        return life_rule_unexpected(*text);
    text++;
    rule->birth = life_rule_digits(&text);
    return *text ? life_rule_unexpected(*text) : NULL;
}

/* Reads a rule in one of the two notations. Returns NULL, or why the text is not a rule. */
static inline const char *life_rule_parse(const char *text, struct life_rule *rule)
{
    if (*text && strchr("bBsS", *text) != NULL)
        return life_rule_lettered(text, rule);
    return life_rule_numeric(text, rule);
}

/* The rule of a plan: the plugin's first parameter, whose check has accepted the text. */
static inline struct life_rule life_plan_rule(const struct engine_plan *plan)
{
    struct life_rule rule = {0, 0};
    life_rule_parse(engine_param_text(plan, 0), &rule);
    return rule;
}

#endif
