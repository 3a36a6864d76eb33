/* Rules of three-dimensional Life: the number of live neighbours, of 26, determines whether a cell is born or survives.
 * The CPU and CUDA share this header. */
#ifndef LIFE_RULE3D_H
#define LIFE_RULE3D_H

#include <engine/plugin.h>
#include <engine/tiles.h>
#include <stdint.h>
#include <string.h>

enum { LIFE3D_NEIGHBOURS = 26 };

/* Bit n of `birth`: a dead cell with n live neighbours is born. Bit n of `survive`: a live cell with n survives. n = 0
 * … 26. */
struct life3d_rule {
    uint32_t birth, survive;
};

#define LIFE3D_RULE_EXAMPLE "; examples of rules are B6/S5..7 and 3D5..7/6"

/* Reads a number of neighbours, and advances *text. -1: there is none, or it is above 26. */
static inline int life3d_rule_number(const char **text)
{
    int number = -1;
    for (; **text >= '0' && **text <= '9'; ++*text) {
        number = (number < 0 ? 0 : number) * 10 + (**text - '0');
        if (number > LIFE3D_NEIGHBOURS)
            return -1;
    }
    return number;
}

/* Reads numbers and ranges, as in "4,6,9..11", into a mask. No text is the empty set. Returns NULL, or what is wrong.
 */
static inline const char *life3d_rule_set(const char **text, uint32_t *mask)
{
    static const char *const wrong = "expected a number of neighbours from 0 to 26" LIFE3D_RULE_EXAMPLE;
    *mask = 0;
    if (**text < '0' || **text > '9')
        return NULL;
    for (;; ++*text) {
        const int first = life3d_rule_number(text);
        int last = first;
        if (first >= 0 && (*text)[0] == '.' && (*text)[1] == '.') {
            *text += 2;
            last = life3d_rule_number(text);
        }
        if (first < 0 || last < 0)
            return wrong;
        if (last < first)
            return "a range ends below its beginning";
        *mask |= ((2u << (last - first)) - 1) << first;
        if (**text != ',')
            return NULL;
    }
}

/* Returns what is wrong with the text after a rule, or NULL if there is none. */
static inline const char *life3d_rule_rest(const char *text)
{
    if (*text == '\0')
        return NULL;
    if (strchr("fFcCeEhH", *text) != NULL)
        return "neighbourhoods other than the 26 cells around a cell (Moore) are not supported";
    return "something follows the numbers of birth and survival" LIFE3D_RULE_EXAMPLE;
}

/* Reads B6/S5..7, in either order and case. */
static inline const char *life3d_rule_lettered(const char *text, struct life3d_rule *rule)
{
    uint32_t *given = NULL;
    for (int part = 0; part < 2; part++) {
        uint32_t *mask = *text == 'b' || *text == 'B'   ? &rule->birth
                         : *text == 's' || *text == 'S' ? &rule->survive
                                                        : NULL;
        if (!mask)
            return "B or S is missing" LIFE3D_RULE_EXAMPLE;
        if (mask == given)
            return "B or S is given twice" LIFE3D_RULE_EXAMPLE;
        given = mask;
        text++;
        const char *wrong = life3d_rule_set(&text, mask);
        if (wrong)
            return wrong;
        if (part == 0 && *text == '/')
            text++;
    }
    return life3d_rule_rest(text);
}

/* Reads the notation of Golly's 3D.lua: survival, then birth, as in 3D5..7/6. */
static inline const char *life3d_rule_golly(const char *text, struct life3d_rule *rule)
{
    const char *wrong = life3d_rule_set(&text, &rule->survive);
    if (wrong)
        return wrong;
    if (*text++ != '/')
        return "the slash between survival and birth is missing" LIFE3D_RULE_EXAMPLE;
    wrong = life3d_rule_set(&text, &rule->birth);
    if (wrong)
        return wrong;
    return life3d_rule_rest(text);
}

/* Reads a rule in one of the two notations. Returns NULL, or why the text is not a rule. */
static inline const char *life3d_rule_parse(const char *text, struct life3d_rule *rule)
{
    if (text[0] == '3' && (text[1] == 'd' || text[1] == 'D'))
        return life3d_rule_golly(text + 2, rule);
    return life3d_rule_lettered(text, rule);
}

/* The rule of a plan: the plugin's first parameter, whose check has accepted the text. */
static inline struct life3d_rule life3d_plan_rule(const struct engine_plan *plan)
{
    struct life3d_rule rule = {0, 0};
    life3d_rule_parse(engine_param_text(plan, 0), &rule);
    return rule;
}

#endif
