/* Rules of three-dimensional Life: a cell is born, or survives, by how many of its 26 neighbours are alive. The same
 * header serves the CPU and CUDA. */
#ifndef LIFE_RULE3D_H
#define LIFE_RULE3D_H

#include <stdint.h>
#include <string.h>

enum { LIFE3D_NEIGHBOURS = 26 };

/* Bit n of `birth`: a dead cell with n live neighbours comes alive; of `survive`: a live one stays so. n = 0 … 26. */
struct life3d_rule {
    uint32_t birth, survive;
};

#define LIFE3D_RULE_LOOKS "; B6/S5..7 and 3D5..7/6 are how a rule looks"

/* Reads a number of neighbours from *text on. -1: there is none, or it is above 26. */
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

/* Reads numbers and ranges, "4,6,9..11", into a mask; nothing at all is the empty set. Returns NULL, or why not. */
static inline const char *life3d_rule_set(const char **text, uint32_t *mask)
{
    static const char *const wrong = "a number of neighbours from 0 to 26 was expected" LIFE3D_RULE_LOOKS;
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
            return "a range ends below where it begins";
        *mask |= ((2u << (last - first)) - 1) << first;
        if (**text != ',')
            return NULL;
    }
}

/* What is wrong with the text after a rule, or NULL where nothing follows. */
static inline const char *life3d_rule_rest(const char *text)
{
    if (*text == '\0')
        return NULL;
    if (strchr("fFcCeEhH", *text) != NULL)
        return "neighbourhoods other than the 26 cells around (Moore) are not done here";
    return "it goes on after the sets of birth and survival" LIFE3D_RULE_LOOKS;
}

/* B6/S5..7, in either order and case. */
static inline const char *life3d_rule_lettered(const char *text, struct life3d_rule *rule)
{
    uint32_t *given = NULL;
    for (int part = 0; part < 2; part++) {
        uint32_t *mask = *text == 'b' || *text == 'B'   ? &rule->birth
                         : *text == 's' || *text == 'S' ? &rule->survive
                                                        : NULL;
        if (!mask)
            return "one of B and S is missing" LIFE3D_RULE_LOOKS;
        if (mask == given)
            return "one of B and S stands there twice" LIFE3D_RULE_LOOKS;
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

/* Golly's 3D.lua: survival, then birth, as in 3D5..7/6. */
static inline const char *life3d_rule_golly(const char *text, struct life3d_rule *rule)
{
    const char *wrong = life3d_rule_set(&text, &rule->survive);
    if (wrong)
        return wrong;
    if (*text++ != '/')
        return "the slash between survival and birth is missing" LIFE3D_RULE_LOOKS;
    wrong = life3d_rule_set(&text, &rule->birth);
    if (wrong)
        return wrong;
    return life3d_rule_rest(text);
}

/* Reads a rule in one of the two notations. Returns NULL, or why the text is none. */
static inline const char *life3d_rule_parse(const char *text, struct life3d_rule *rule)
{
    if (text[0] == '3' && (text[1] == 'd' || text[1] == 'D'))
        return life3d_rule_golly(text + 2, rule);
    return life3d_rule_lettered(text, rule);
}

#endif
