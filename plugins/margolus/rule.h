/* Rules of block cellular automata in the Margolus neighbourhood. The plane is cut into blocks of 2 x 2 cells, and a
 * rule replaces each block by another one. At odd steps, the blocks begin one cell further to the right and down. The
 * CPU and CUDA share this header.
 *
 *     1 2     A block is the sum of the numbers of its live cells, 0 to 15. These are the numbers of MCell.
 *     4 8 */
#ifndef MARGOLUS_RULE_H
#define MARGOLUS_RULE_H

#include <common/rule_names.h>
#include <engine/plugin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MARGOLUS_BLOCKS = 16, MARGOLUS_TEXT = 64 /* the most characters of a written rule, with the final '\0' */ };

struct margolus_rule {
    uint8_t to[MARGOLUS_BLOCKS]; /* what becomes of each block */
};

/* The names and rules of LifeViewer's list (js/alias.js), which has those of MCell's lexicon, and one name in words. */
static const struct {
    const char *name, *rule;
} margolus_names[] = {{"BBM", "M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15"},
                      {"Billiard Ball Machine", "M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15"},
                      {"BounceGas", "M0,8,4,3,2,5,9,14,1,6,10,13,12,11,7,15"},
                      {"BounceGasII", "M0,8,4,12,2,10,9,7,1,6,5,11,3,13,14,15"},
                      {"Critters", "M15,14,13,3,11,5,6,1,7,9,10,2,12,4,8,0"},
                      {"HPP_Gas", "M0,8,4,12,2,10,9,14,1,6,5,13,3,11,7,15"},
                      {"MargSingRot", "M0,2,8,3,1,5,6,7,4,9,10,11,12,13,14,15"},
                      {"Rotations", "M0,2,8,12,1,10,9,11,4,6,5,14,3,7,13,15"},
                      {"RotationsII", "M0,2,8,12,1,10,9,13,4,6,5,7,3,14,11,15"},
                      {"RotationsIII", "M0,4,1,10,8,3,9,11,2,6,12,14,5,7,13,15"},
                      {"RotationsIV", "M0,4,1,12,8,10,6,14,2,9,5,13,3,11,7,15"},
                      {"Sand", "M0,4,8,12,4,12,12,13,8,12,12,14,12,13,14,15"},
                      {"StringThing", "M0,1,2,12,4,10,9,7,8,6,5,11,3,13,14,15"},
                      {"StringThingII", "M0,1,2,12,4,10,6,7,8,9,5,11,3,13,14,15"},
                      {"SwapOnDiag", "M0,8,4,12,2,10,6,14,1,9,5,13,3,11,7,15"},
                      {"Tron", "M15,1,2,3,4,5,6,7,8,9,10,11,12,13,14,0"}};

static inline const char *margolus_of_name(const char *text)
{
    for (size_t i = 0; i < sizeof margolus_names / sizeof margolus_names[0]; i++)
        if (rule_name_equals(text, margolus_names[i].name))
            return margolus_names[i].rule;
    return text;
}

/* Reads a number from 0 to 15. Returns whether there is one; *at moves behind it. */
static inline int margolus_number(const char **at, uint8_t *number)
{
    const char *digit = *at;
    unsigned value = 0;
    for (; *digit >= '0' && *digit <= '9' && value < MARGOLUS_BLOCKS; digit++)
        value = value * 10 + (unsigned) (*digit - '0');
    if (digit == *at || value >= MARGOLUS_BLOCKS)
        return 0;
    *number = (uint8_t) value;
    *at = digit;
    return 1;
}

static inline const char *margolus_parse_numbers(const char **at, struct margolus_rule *rule)
{
    if (**at != 'M' && **at != 'm')
        return "expected M and 16 numbers, such as M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15, or a name, such as BBM";
    ++*at;
    if ((**at == 'S' || **at == 's') && (*at)[1] == ',' && ((*at)[2] == 'D' || (*at)[2] == 'd'))
        *at += 3;
    for (int i = 0; i < MARGOLUS_BLOCKS; i++) {
        if (i > 0 && **at != ',' && **at != ';')
            return "expected a comma and a number: there is one for each of the 16 blocks";
        *at += i > 0;
        *at += strspn(*at, " ");
        if (!margolus_number(at, &rule->to[i]))
            return "expected a number from 0 to 15, one for each of the 16 blocks";
    }
    return **at != '\0' ? "unexpected text after the 16 numbers" : NULL;
}

/* Reads M and 16 numbers, as LifeViewer and Golly write them; MS,D and 16 numbers, as MCell does; or a name. Returns
 * NULL, or why the text is not a rule; then *at is the place in the text. */
static inline const char *margolus_parse_at(const char *text, struct margolus_rule *rule, const char **at)
{
    const char *named = margolus_of_name(text);
    *at = named;
    const char *wrong = margolus_parse_numbers(at, rule);
    if (named != text)
        *at = text + strlen(text);
    return wrong;
}

static inline const char *margolus_parse(const char *text, struct margolus_rule *rule)
{
    const char *at;
    return margolus_parse_at(text, rule, &at);
}

/* Writes a rule as LifeViewer and Golly do. */
static inline void margolus_write(const struct margolus_rule *rule, char text[MARGOLUS_TEXT])
{
    int length = 0;
    for (int i = 0; i < MARGOLUS_BLOCKS; i++)
        length += snprintf(text + length, (size_t) (MARGOLUS_TEXT - length), "%c%u", i ? ',' : 'M', rule->to[i]);
}

/* The rule of a plan: the plugin's first parameter, whose check has accepted the text. */
static inline struct margolus_rule margolus_plan_rule(const struct engine_plan *plan)
{
    struct margolus_rule rule = {{0}};
    margolus_parse(engine_param_text(plan, 0), &rule);
    return rule;
}

/* ---- Functions of bits --------------------------------------------------------------------------------------------
 *
 * Implementations compute the blocks of a pair of rows, whose cells are bits, with operations on words. For each cell
 * there are four bits: its own, that of its neighbour in the same row, and the two in the other row of the block. A
 * cell at the left of a block sees them in the order of the block, and one at the right sees them mirrored. So a cell's
 * next value is one of 16 bits of a truth table, which is that of its place in a block, with mirrored entries for cells
 * at the right. For two values b and d in the other row, it is
 *
 *     c0 ^ (a & c1) ^ (n & c2) ^ (a & n & c3)        a: the cell, n: its neighbour
 *
 * so four such functions, and three choices among them, make the next value. The words of c have the bits of the left
 * cells and of the right ones. */
struct margolus_form {
    uint32_t c[2][4][4]; /* [the upper or the lower row][b + 2d][0 … 3] */
};

/* left: the bits of the cells at the left of a block. */
static inline struct margolus_form margolus_form_of(const struct margolus_rule *rule, uint32_t left)
{
    struct margolus_form form = {{{{0}}}};
    for (uint32_t i = 0; i < 2 * 2 * 4 * 4; i++) {
        /* the cell's place; its row and the other row of the block, as they are seen from the cell; a coefficient */
        const uint32_t lower = i & 1, right = i >> 1 & 1, other = i >> 2 & 3, c = i >> 4;
        uint32_t value = 0;
        for (uint32_t own = 0; own < 4; own++) {
            const uint32_t seen = lower ? other | own << 2 : own | other << 2;
            const uint32_t block = right ? (seen & 5) << 1 | (seen >> 1 & 5) : seen;
            value ^= (own & ~c) == 0 ? rule->to[block] >> (2 * lower + right) & 1u : 0; /* all subsets of c */
        }
        form.c[lower][other][c] |= value ? (right ? ~left : left) : 0;
    }
    return form;
}

#endif
