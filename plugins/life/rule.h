/* Rules of two states in which a cell and its eight neighbours determine its next state. The CPU and CUDA share this
 * header.
 *
 *     B3/S23             numbers of live neighbours at which a cell is born and survives
 *     B2-a/S12           letters choose some of the arrangements of so many neighbours (life/neighbourhoods.h)
 *     B2/S013V, B2/S34H  four neighbours, or the six of a hexagonal grid
 *     B2o3m/S2mH         letters of six neighbours: m, o and p after 2, 3 and 4
 *     MAP...             the next state of each square, in base64
 *     W110               Wolfram's number of a one-dimensional rule: each row makes the next one, and stays
 *     HighLife           a name (common/rule_names.h) */
#ifndef LIFE_RULE_H
#define LIFE_RULE_H

#include <common/rule_names.h>
#include <engine/plugin.h>
#include <life/neighbourhoods.h>
#include <stdio.h>

#define LIFE_COUNTS 9 /* a square has 0 … 8 neighbours */

struct life_rule {
    /* Does the number of live neighbours, of eight, determine the next state? Then bit n of `birth` says whether a dead
     * cell with n live neighbours is born, and bit n of `survive` whether a live one survives. Otherwise both are 0. */
    bool counts;
    uint32_t birth, survive;
    uint64_t table[LIFE_SQUARES / 64]; /* of any rule: the next state of square s is bit s % 64 of word s / 64 */
    uint32_t neighbours;               /* those of its notation: LIFE_MOORE, LIFE_VON_NEUMANN or LIFE_HEXAGONAL */
    bool map, wolfram;                 /* it was given as MAP..., as W... */
};

/* The next state of the cell in the middle of a square. */
static inline uint32_t life_rule_next(const struct life_rule *rule, uint32_t square)
{
    return (uint32_t) (rule->table[square / 64] >> square % 64 & 1);
}

static inline void life_rule_set(struct life_rule *rule, uint32_t square)
{
    rule->table[square / 64] |= (uint64_t) 1 << square % 64;
}

#define LIFE_RULE_EXAMPLE "; an example of a rule is B3/S23"

/* ---- Reading ------------------------------------------------------------------------------------------------ */

/* What has been read: the classes of each number of neighbours, a bit for each of life_letters(n), for dead and for live
 * cells; and the place of the character that is wrong. */
struct life_rule_reader {
    const char *begin, *at, *end; /* the end: before the letter of a neighbourhood */
    struct life_rule *rule;
    uint32_t classes[2][LIFE_COUNTS];
};

/* Says why a character cannot follow. */
static inline const char *life_rule_unexpected(const struct life_rule_reader *r)
{
    if (r->at == r->end)
        return *r->at ? "H or V is too early" LIFE_RULE_EXAMPLE : "it ends too early" LIFE_RULE_EXAMPLE;
    if (*r->at >= '0' && *r->at <= '9')
        return "expected digits up to the number of neighbours: 8, with H 6, with V 4";
    if (*r->at == '/' || *r->at == '_')
        return "it has too many slashes" LIFE_RULE_EXAMPLE;
    if (*r->at == '-')
        return "a minus follows a digit from 1 to 7";
    if (strchr("hHvV", *r->at) != NULL && r->at > r->begin)
        return "H and V stand at the end of a rule, once";
    return "a rule is a known name such as HighLife, or consists of B, S, digits (numbers of live neighbours), letters "
           "after digits, and one slash" LIFE_RULE_EXAMPLE;
}

/* The letters of a number of neighbours of the rule, in alphabetical order. */
static inline const char *life_rule_letters_of(const struct life_rule *rule, uint32_t count)
{
    if (rule->neighbours == LIFE_MOORE)
        return life_letters(count);
    return rule->neighbours == LIFE_HEXAGONAL && count >= 2 && count <= 4 ? "mop" : "";
}

/* The index of the letter of a square, or 0. */
static inline uint32_t life_rule_class(const struct life_rule *rule, uint32_t square)
{
    return rule->neighbours == LIFE_MOORE       ? life_class(square)
           : rule->neighbours == LIFE_HEXAGONAL ? life_hexagonal_class(square)
                                                : 0;
}

/* Says why a letter cannot follow a number of neighbours. NULL: it is no letter of any number. */
static inline const char *life_rule_bad_letter(const struct life_rule_reader *r, uint32_t count)
{
    static const char *const expected[5] = {"0 and 8 neighbours have no letters",
                                            "the letters of 1 and 7 neighbours are c and e",
                                            "the letters of 2 and 6 neighbours are a, c, e, i, k and n",
                                            "the letters of 3 and 5 neighbours are a, c, e, i, j, k, n, q, r and y",
                                            "the letters of 4 neighbours are a, c, e, i, j, k, n, q, r, t, w, y and z"};
    const bool hexagonal = r->rule->neighbours == LIFE_HEXAGONAL;
    const char *known = hexagonal ? "aceijkmnopqrtwyzACEIJKMNOPQRTWYZ" : "aceijknqrtwyzACEIJKNQRTWYZ";
    if (r->at == r->end || strchr(known, *r->at) == NULL)
        return NULL;
    return hexagonal                           ? "the letters of a rule with H are m, o and p, after 2, 3 and 4"
           : r->rule->neighbours == LIFE_MOORE ? expected[count <= 4 ? count : 8 - count]
                                               : "a rule with V has no letters";
}

/* The classes of the letters that follow, which must be those of so many neighbours. */
static inline uint32_t life_rule_letters(struct life_rule_reader *r, uint32_t count)
{
    const char *letters = life_rule_letters_of(r->rule, count), *found;
    uint32_t classes = 0;
    for (; r->at < r->end && (found = strchr(letters, *r->at | 0x20)) != NULL; r->at++)
        classes |= 1u << (found - letters);
    return classes;
}

/* All classes of a number of neighbours. */
static inline uint32_t life_all_classes(const struct life_rule *rule, uint32_t count)
{
    const size_t letters = strlen(life_rule_letters_of(rule, count));
    return letters ? (1u << letters) - 1 : 1;
}

/* Reads digits, each with its letters, into the classes of dead or of live cells. A digit may occur again in the same
 * form: without letters, or with other letters. */
static inline const char *life_rule_numbers(struct life_rule_reader *r, int cell)
{
    const uint32_t most = life_bits(r->rule->neighbours);
    uint32_t seen = 0, reduced = 0, lettered = 0;
    while (r->at < r->end && *r->at >= '0' && (uint32_t) (*r->at - '0') <= most) {
        const char *digit = r->at;
        const uint32_t count = (uint32_t) (*r->at++ - '0'), all = life_all_classes(r->rule, count);
        const bool minus = r->at < r->end && *r->at == '-';
        if (minus && (seen >> count & 1 || count == 0 || count == 8))
            return count == 0 || count == 8 ? "0 and 8 neighbours have no letters" : "this number is listed twice";
        if (reduced >> count & 1)
            return r->at--, "this number is listed twice";
        r->at += minus;
        const uint32_t letters = life_rule_letters(r, count);
        if (seen >> count & 1 && (lettered >> count & 1) != (letters != 0))
            return r->at = digit, "this number is listed twice";
        seen |= 1u << count, reduced |= (uint32_t) minus << count, lettered |= (uint32_t) (letters != 0) << count;
        const char *wrong = life_rule_bad_letter(r, count);
        if (wrong)
            return wrong;
        if (minus && !letters)
            return "letters follow a minus, as in B2-a/S12";
        r->classes[cell][count] |= minus ? all & ~letters : letters ? letters : all;
    }
    return NULL;
}

static inline bool life_rule_separator(const struct life_rule_reader *r)
{
    return r->at < r->end && (*r->at == '/' || *r->at == '_');
}

/* Reads B3/S23, in either order and case, with or without the slash. Of a part that is missing, no cell is born or
 * survives, as in Golly: B234 is B234/S. */
static inline const char *life_rule_lettered(struct life_rule_reader *r)
{
    int given = -1;
    for (int part = 0; part < 2 && r->at < r->end; part++) {
        if (strchr("bBsS", *r->at) == NULL)
            return life_rule_unexpected(r);
        const int cell = *r->at == 's' || *r->at == 'S';
        if (cell == given)
            return "B or S is given twice" LIFE_RULE_EXAMPLE;
        given = cell;
        r->at++;
        const char *wrong = life_rule_numbers(r, cell);
        if (wrong)
            return wrong;
        r->at += part == 0 && life_rule_separator(r);
    }
    return r->at < r->end ? life_rule_unexpected(r) : NULL;
}

/* Reads survival and birth as in 23/3. */
static inline const char *life_rule_numeric(struct life_rule_reader *r)
{
    const char *wrong = life_rule_numbers(r, 1);
    if (wrong || !life_rule_separator(r))
        return wrong ? wrong : life_rule_unexpected(r);
    r->at++;
    wrong = life_rule_numbers(r, 0);
    return wrong ? wrong : r->at < r->end ? life_rule_unexpected(r) : NULL;
}

static const char life_base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* The bit of a MAP string for a square: the cells that the rule sees, as the bits of a number. Moore and von Neumann
 * rules have the cells in reading order, the first as the highest bit. Golly has those of hexagonal rules with the rows
 * in the opposite order, from the lowest to the highest. */
static inline uint32_t life_square_index(const struct life_rule *rule, uint32_t square)
{
    uint32_t seen = rule->neighbours | LIFE_CELL, index = 0;
    if (rule->neighbours == LIFE_HEXAGONAL)
        seen = life_mirrored(seen), square = life_mirrored(square);
    for (uint32_t bit = LIFE_SQUARES / 2; bit; bit /= 2)
        if (seen & bit)
            index = 2 * index + (square & bit ? 1 : 0);
    return index;
}

/* Reads what follows MAP: a character for each six squares, the first in its highest bit. */
static inline const char *life_rule_map(struct life_rule_reader *r)
{
    const char *first = r->at;
    size_t length = strspn(first, life_base64);
    r->at += length;
    if (*r->at != '\0' && strcmp(r->at, "==") != 0)
        return "expected the characters of base64: A to Z, a to z, 0 to 9, + and /";
    if (length != 86 && length != 22 && length != 6)
        return "expected 86 characters of base64 after MAP, or 22 for six neighbours, or 6 for four";
    r->rule->map = true;
    r->rule->neighbours = length == 86 ? LIFE_MOORE : length == 22 ? LIFE_HEXAGONAL : LIFE_VON_NEUMANN;
    for (uint32_t square = 0; square < LIFE_SQUARES; square++) {
        const uint32_t index = life_square_index(r->rule, square);
        if ((strchr(life_base64, first[index / 6]) - life_base64) >> (5 - index % 6) & 1)
            life_rule_set(r->rule, square);
    }
    return NULL;
}

/* Reads the number that follows W. The bit of the upper left, upper and upper right cell, read as a number, says
 * whether a cell is born. As in Golly, live cells stay, so the rows below the first one show the steps. */
static inline const char *life_rule_wolfram(struct life_rule_reader *r)
{
    uint32_t number = 0;
    const char *digits = r->at;
    for (; *r->at >= '0' && *r->at <= '9' && number <= 255; r->at++)
        number = 10 * number + (uint32_t) (*r->at - '0');
    if (r->at == digits || *r->at != '\0' || number > 255)
        return "expected a number from 0 to 255 after W";
    r->rule->wolfram = true;
    for (uint32_t square = 0; square < LIFE_SQUARES; square++)
        if (square & LIFE_CELL || number >> (square >> 6) & 1)
            life_rule_set(r->rule, square);
    return NULL;
}

/* The next state of a square. Often all squares of a number of neighbours are alike: then the first class tells the
 * state, and the search for the class of the square is left out. */
static inline bool life_rule_lives(const struct life_rule_reader *r, uint32_t square)
{
    const uint32_t count = life_bits(square & r->rule->neighbours);
    const uint32_t classes = r->classes[(square & LIFE_CELL) != 0][count];
    const bool alike = classes == 0 || classes == life_all_classes(r->rule, count);
    return classes >> (alike ? 0 : life_rule_class(r->rule, square)) & 1;
}

static inline void life_rule_fill(struct life_rule_reader *r)
{
    for (uint32_t square = 0; square < LIFE_SQUARES; square++)
        if (life_rule_lives(r, square))
            life_rule_set(r->rule, square);
}

/* Finds out whether the number of neighbours determines the next state. */
static inline void life_rule_count(struct life_rule *rule)
{
    uint32_t lives[2] = {0, 0}, dies[2] = {0, 0};
    for (uint32_t square = 0; square < LIFE_SQUARES; square++)
        *(life_rule_next(rule, square) ? &lives[(square & LIFE_CELL) != 0] : &dies[(square & LIFE_CELL) != 0]) |=
            1u << life_bits(square & LIFE_MOORE);
    rule->counts = !(lives[0] & dies[0]) && !(lives[1] & dies[1]);
    rule->birth = rule->counts ? lives[0] : 0;
    rule->survive = rule->counts ? lives[1] : 0;
}

/* Reads a rule. Returns NULL, or why the text is not a rule. *place is then the index of the wrong character. */
static inline const char *life_rule_parse(const char *text, struct life_rule *rule, size_t *place)
{
    struct life_rule_reader r;
    memset(&r, 0, sizeof r);
    memset(rule, 0, sizeof *rule);
    const char *given = text;
    text = rule_of_name(given);
    const size_t length = strlen(text);
    const char last = length ? text[length - 1] : '\0';
    const bool map = (text[0] | 0x20) == 'm' && (text[1] | 0x20) == 'a' && (text[2] | 0x20) == 'p';
    const bool wolfram = (text[0] | 0x20) == 'w';
    r.rule = rule;
    rule->neighbours = map || wolfram               ? LIFE_MOORE
                       : last == 'H' || last == 'h' ? LIFE_HEXAGONAL
                       : last == 'V' || last == 'v' ? LIFE_VON_NEUMANN
                                                    : LIFE_MOORE;
    r.begin = text;
    r.at = text + (map ? 3 : wolfram);
    r.end = text + length - (rule->neighbours != LIFE_MOORE);
    const char *wrong = map                                      ? life_rule_map(&r)
                        : wolfram                                ? life_rule_wolfram(&r)
                        : *text && strchr("bBsS", *text) != NULL ? life_rule_lettered(&r)
                                                                 : life_rule_numeric(&r);
    if (wrong) {
        *place = text == given ? (size_t) (r.at - text) : 0;
        return text == given ? wrong : "this is the name of a rule of another family";
    }
    if (!map && !wolfram)
        life_rule_fill(&r);
    life_rule_count(rule);
    return NULL;
}

/* ---- Writing ------------------------------------------------------------------------------------------------ */

enum { LIFE_RULE_TEXT = 192 }; /* the most characters of a written rule, with the final '\0' */

/* The classes of a number of neighbours with which a dead or a live cell lives. */
static inline uint32_t life_rule_classes(const struct life_rule *rule, uint32_t count, uint32_t cell)
{
    uint32_t classes = 0;
    for (uint32_t square = 0; square < LIFE_SQUARES; square++)
        if (((square & LIFE_CELL) != 0) == (cell != 0) && life_bits(square & rule->neighbours) == count &&
            life_rule_next(rule, square))
            classes |= 1u << (life_all_classes(rule, count) > 1 ? life_rule_class(rule, square) : 0);
    return classes;
}

/* Writes a number of neighbours, with the letters of its classes or, if there are fewer, a minus and the others. */
static inline char *life_write_number(const struct life_rule *rule, char *to, uint32_t count, uint32_t classes)
{
    const char *letters = life_rule_letters_of(rule, count);
    const uint32_t all = life_all_classes(rule, count);
    if (!classes)
        return to;
    *to++ = (char) ('0' + count);
    if (classes == all)
        return to;
    if (life_bits(classes) > (strlen(letters) + 1) / 2) {
        *to++ = '-';
        classes ^= all;
    }
    for (; *letters; letters++, classes >>= 1)
        if (classes & 1)
            *to++ = *letters;
    return to;
}

static inline void life_write_map(const struct life_rule *rule, char *text)
{
    const uint32_t most = life_bits(rule->neighbours);
    uint8_t values[86];
    memset(values, 0, sizeof values);
    for (uint32_t square = 0; square < LIFE_SQUARES; square++) {
        const uint32_t index = life_square_index(rule, square);
        values[index / 6] |= (uint8_t) (life_rule_next(rule, square) << (5 - index % 6));
    }
    memcpy(text, "MAP", 3);
    for (uint32_t i = 0; i < ((2u << most) + 5) / 6; i++)
        text[3 + i] = life_base64[values[i]];
}

static inline void life_write_wolfram(const struct life_rule *rule, char *text)
{
    uint32_t number = 0;
    for (uint32_t upper = 0; upper < 8; upper++)
        number |= life_rule_next(rule, upper << 6) << upper;
    snprintf(text, LIFE_RULE_TEXT, "W%u", (unsigned) number);
}

/* Writes a rule as Golly does: B before S, letters in alphabetical order and, where that is shorter, those left out. */
static inline void life_rule_write(const struct life_rule *rule, char text[LIFE_RULE_TEXT])
{
    const uint32_t most = life_bits(rule->neighbours);
    char *to = text;
    memset(text, 0, LIFE_RULE_TEXT);
    if (rule->map || rule->wolfram) {
        (rule->map ? life_write_map : life_write_wolfram)(rule, text);
        return;
    }
    for (uint32_t cell = 0; cell < 2; cell++) {
        memcpy(to, cell ? "/S" : "B", cell + 1);
        to += cell + 1;
        for (uint32_t count = 0; count <= most; count++)
            to = life_write_number(rule, to, count, life_rule_classes(rule, count, cell));
    }
    if (rule->neighbours != LIFE_MOORE)
        *to = rule->neighbours == LIFE_HEXAGONAL ? 'H' : 'V';
}

/* The rule of a plan: the plugin's first parameter, whose check has accepted the text. */
static inline struct life_rule life_plan_rule(const struct engine_plan *plan)
{
    struct life_rule rule;
    size_t place;
    life_rule_parse(engine_param_text(plan, 0), &rule, &place);
    return rule;
}

#endif
