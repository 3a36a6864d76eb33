/* Rules of Life-like cellular automata: a cell is born, or survives, by how many of its eight neighbours are alive. The
 * same header serves the CPU and CUDA. */
#ifndef LIFE_RULE_H
#define LIFE_RULE_H

#include <stdint.h>
#include <string.h>

/* Bit n of `birth`: a dead cell with n live neighbours comes alive; of `survive`: a live one stays so. n = 0 … 8. */
struct life_rule {
    uint32_t birth, survive;
};

#define LIFE_RULE_LOOKS "; B3/S23 is how a rule looks"

/* Reads digits 0 to 8 into a mask from *text on. */
static inline uint32_t life_rule_digits(const char **text)
{
    uint32_t mask = 0;
    for (; **text >= '0' && **text <= '8'; ++*text)
        mask |= 1u << (**text - '0');
    return mask;
}

/* Why a rule does not go on at this character. */
static inline const char *life_rule_unexpected(char c)
{
    if (c == '9')
        return "a cell has eight neighbours";
    if (c == '/')
        return "it has too many slashes" LIFE_RULE_LOOKS;
    if (c == '\0')
        return "it ends too early" LIFE_RULE_LOOKS;
    return "B, S, the digits 0 to 8 (how many live neighbours) and one slash are all there is" LIFE_RULE_LOOKS;
}

/* B3/S23, in either order and case, the slash left out or not. */
static inline const char *life_rule_lettered(const char *text, struct life_rule *rule)
{
    uint32_t *given = NULL;
    for (int part = 0; part < 2; part++) {
        if (*text == '\0' || strchr("bBsS", *text) == NULL)
            return *text ? life_rule_unexpected(*text) : "one of B and S is missing" LIFE_RULE_LOOKS;
        uint32_t *mask = *text == 'b' || *text == 'B' ? &rule->birth : &rule->survive;
        if (mask == given)
            return "one of B and S stands there twice" LIFE_RULE_LOOKS;
        given = mask;
        text++;
        *mask = life_rule_digits(&text);
        if (part == 0 && *text == '/')
            text++;
    }
    return *text ? life_rule_unexpected(*text) : NULL;
}

/* Survival and birth as in 23/3. */
static inline const char *life_rule_numeric(const char *text, struct life_rule *rule)
{
    rule->survive = life_rule_digits(&text);
    if (*text != '/')
        return life_rule_unexpected(*text);
    text++;
    rule->birth = life_rule_digits(&text);
    return *text ? life_rule_unexpected(*text) : NULL;
}

/* Reads a rule in one of the two notations. Returns NULL, or why the text is none. */
static inline const char *life_rule_parse(const char *text, struct life_rule *rule)
{
    if (*text && strchr("bBsS", *text) != NULL)
        return life_rule_lettered(text, rule);
    return life_rule_numeric(text, rule);
}

#endif
