/* Rules of Generations: a cell of state 1 is alive. The number of live neighbours, of eight, determines whether a dead
 * cell (state 0) becomes alive and whether a live one stays alive. A live cell that does not survive takes the states
 * 2, 3, … and is then dead. With two states this is Life. The CPU and CUDA share this header. */
#ifndef GENERATIONS_RULE_H
#define GENERATIONS_RULE_H

#include <common/rule_names.h>
#include <engine/plugin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { GENERATIONS_STATES_MAX = 256 };

/* Bit n of `birth`: a dead cell with n live neighbours becomes alive. Bit n of `survive`: a live cell with n stays
 * alive. n = 0 … 8. */
struct generations_rule {
    uint32_t birth, survive;
    uint32_t states; /* 2 … GENERATIONS_STATES_MAX */
};

/* Reads digits 0 to 8 into a mask, and advances *text. */
static inline uint32_t generations_digits(const char **text)
{
    uint32_t mask = 0;
    for (; **text >= '0' && **text <= '8'; ++*text)
        mask |= 1u << (**text - '0');
    return mask;
}

/* Reads the number of states behind the second slash. The letter G or C may stand before it. */
static inline const char *generations_states(const char **text, uint32_t *states)
{
    uint32_t number = 0;
    if (**text != '\0' && strchr("gGcC", **text) != NULL)
        ++*text;
    if (**text < '0' || **text > '9')
        return "the number of states is missing behind the second slash";
    const char *digits = *text;
    for (; **text >= '0' && **text <= '9'; ++*text)
        number = number < 1000 ? number * 10 + (uint32_t) (**text - '0') : number;
    *states = number;
    if (number >= 2 && number <= GENERATIONS_STATES_MAX)
        return NULL;
    *text = digits;
    return "the number of states is not from 2 to 256";
}

static inline const char *generations_unexpected(char c)
{
    if (c == '9')
        return "expected digits from 0 to 8, because a cell has eight neighbours";
    if (c == '\0')
        return "it ends too early; an example of a rule is B2/S/G3, which is also /2/3";
    return "expected survival/birth/states as in 345/2/4, or letters as in B2/S345/G4";
}

static inline const char *generations_parse_digits(const char *text, struct generations_rule *rule, const char **at)
{
    const int lettered = *text != '\0' && strchr("bBsS", *text) != NULL;
    uint32_t *given = NULL;
    *at = text;
    for (int part = 0; part < 2; part++) {
        uint32_t *mask = part == 0 ? &rule->survive : &rule->birth;
        if (lettered) {
            if (**at == '\0' || strchr("bBsS", **at) == NULL)
                return **at == '\0' ? generations_unexpected('\0') : "B or S is missing";
            mask = strchr("bB", **at) != NULL ? &rule->birth : &rule->survive;
            if (mask == given)
                return "B or S is given twice";
            given = mask;
            ++*at;
        }
        *mask = generations_digits(at);
        if (**at != '/')
            return generations_unexpected(**at);
        ++*at;
    }
    const char *wrong = generations_states(at, &rule->states);
    return wrong ? wrong : **at != '\0' ? "unexpected text after the number of states" : NULL;
}

/* Reads 345/2/4 (survival, birth, states), or B2/S345/G4 with B and S in either order and with the letter G, C or none
 * before the states; in either case. Reads names, too. Returns NULL, or why the text is not a rule; then *at is the
 * place in the text. */
static inline const char *generations_parse_at(const char *text, struct generations_rule *rule, const char **at)
{
    const char *named = rule_of_name(text), *wrong = generations_parse_digits(named, rule, at);
    if (named == text)
        return wrong;
    *at = text + strlen(text);
    return wrong ? "this is the name of a rule of another family" : NULL;
}

static inline const char *generations_parse(const char *text, struct generations_rule *rule)
{
    const char *at;
    return generations_parse_at(text, rule, &at);
}

enum { GENERATIONS_TEXT = 32 }; /* the most characters of a written rule, with the final '\0' */

/* Writes a rule as Golly does: 345/2/4. */
static inline void generations_write(const struct generations_rule *rule, char text[GENERATIONS_TEXT])
{
    char numbers[2][10] = {"", ""};
    for (uint32_t part = 0; part < 2; part++)
        for (uint32_t count = 0, length = 0; count <= 8; count++)
            if ((part ? rule->birth : rule->survive) >> count & 1)
                numbers[part][length++] = (char) ('0' + count);
    snprintf(text, GENERATIONS_TEXT, "%s/%s/%u", numbers[0], numbers[1], rule->states);
}

/* The rule of a plan: the plugin's first parameter, whose check has accepted the text. */
static inline struct generations_rule generations_plan_rule(const struct engine_plan *plan)
{
    struct generations_rule rule = {0, 0, 2};
    generations_parse(engine_param_text(plan, 0), &rule);
    return rule;
}

/* The next state of a cell with `count` live neighbours. */
ENGINE_INLINE uint32_t generations_next(const struct generations_rule *rule, uint32_t state, uint32_t count)
{
    if (state == 0)
        return rule->birth >> count & 1;
    if (state == 1 && (rule->survive >> count & 1))
        return 1;
    return state + 1 < rule->states ? state + 1 : 0;
}

#endif
