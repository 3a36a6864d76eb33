/* Rules of larger than Life. A cell of state 1 is alive. The number of live cells in a neighbourhood of radius R
 * determines whether a dead cell (state 0) becomes alive and whether a live one stays alive. A live cell that does not
 * survive takes the states 2, 3, … and is then dead. The CPU and CUDA share this header.
 *
 *     R5,C0,M1,S34..58,B34..45,NM   radius, states, does a live cell count itself, survivals, births, neighbourhood
 *     R2,C4,S2,4-6,B3,N@891891      lists of counts; the digits are the cells of a neighbourhood
 *     5,34,45,34,58                 radius, births, survivals: Kellie Evans's notation of the first rule
 *     B456/S34L                     a triangular grid: births, survivals, and the neighbourhood of radius 1
 *
 * Golly Help: Larger than Life. Golly 3 reads the first notation with NM, NN and NC, and the last. Golly 4 reads
 * all. */
#ifndef LTL_RULE_H
#define LTL_RULE_H

#include <ctype.h>
#include <engine/plugin.h>
#include <stdlib.h>
#include <string.h>

enum { LTL_DEAD, LTL_ALIVE, LTL_CONDITIONS };
enum { LTL_RADIUS_MAX = 50, LTL_SIDE_MAX = 2 * LTL_RADIUS_MAX + 1, LTL_STATES_MAX = 256 };
enum { LTL_WIDE_MAX = 500 };        /* the radius of squares, diamonds and circles: wide.c */
enum { LTL_TEXT_MAX = 500 };        /* characters of a rule: pattern files hold as many */
enum { LTL_COUNT_MAX = INT16_MAX }; /* counts have 16 bits; negative weights make negative counts */
enum { LTL_COUNT_WORDS = 1 << 15 }; /* bits for the counts of LTL_WIDE_MAX */

struct ltl_rule {
    uint32_t radius, states;
    uint32_t most;   /* the largest count that S and B may name */
    uint32_t middle; /* 1: a live cell counts itself */
    char neighbourhood;
    /* 1: cells are triangles. A cell at which x + y is odd points the other way, and sees the neighbourhood upside down.
     * `odd` is x + y of cell (0, 0), modulo 2: the grid may be a part. */
    uint32_t triangular, odd;
    /* A cell counts its state's weight times that of its place, [R + dy][R + dx]. The middle has the weight 0 if a live
     * cell does not count itself. Radii above LTL_RADIUS_MAX have no weights. */
    int16_t weight[LTL_SIDE_MAX][LTL_SIDE_MAX];
    uint8_t state_weight[LTL_STATES_MAX];
    /* Bit n % 32 of word n / 32: [LTL_DEAD] is born, [LTL_ALIVE] survives at a count of n. */
    uint32_t counts[LTL_CONDITIONS][LTL_COUNT_WORDS];
};

ENGINE_INLINE uint32_t ltl_holds(const uint32_t *counts, int32_t count)
{
    return count >= 0 ? counts[count / 32] >> count % 32 & 1 : 0;
}

/* The next state of a cell. `holds` is that of its count, for cells that are dead or alive. */
ENGINE_INLINE uint32_t ltl_next(uint32_t state, uint32_t holds, uint32_t states)
{
    if (state <= LTL_ALIVE && (holds || state == LTL_DEAD))
        return holds;
    return state + 1 < states ? state + 1 : 0;
}

/* ---- Neighbourhoods ------------------------------------------------------------------------------------------ */

#define LTL_LETTERS "MNC2+X*#BDHA3LG@W"

/* Is the cell at (x, y) in a neighbourhood that a letter names alone? The middle is asked for nowhere. */
static inline int ltl_contains(char letter, int radius, int x, int y)
{
    switch (letter) {
    case 'N':
        return abs(x) + abs(y) <= radius;
    case 'C':
        return x * x + y * y <= radius * radius + radius;
    case '2':
        return x * x + y * y <= radius * radius;
    case '+':
        return x == 0 || y == 0;
    case 'X':
        return abs(x) == abs(y);
    case '*':
        return x == 0 || y == 0 || abs(x) == abs(y);
    case '#':
        return abs(x) == 1 || abs(y) == 1;
    case 'B':
        return (x + y) % 2 != 0;
    case 'D':
        return (x + y) % 2 == 0;
    case 'H':
        return abs(x - y) <= radius;
    case 'A':
        return x == 0 || y == 0 || x == y;
    case 'L':
        return abs(y) <= radius / 2 && abs(x) <= radius - abs(y) + (y < 0);
    case '3':
        return (x == 0 && y < 0) || (y == 0 && x < 0) || (x == y && x > 0);
    default:
        return 1;
    }
}

/* Row dy of a square, a diamond or a circle has the cells from -half to half. */
static inline int ltl_half(const struct ltl_rule *rule, int dy)
{
    int half = (int) rule->radius;
    while (!ltl_contains(rule->neighbourhood, (int) rule->radius, half, dy))
        half--;
    return half;
}

static inline int ltl_hex(char digit)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *at = digit ? strchr(digits, toupper((unsigned char) digit)) : NULL;
    return at ? (int) (at - digits) : -1;
}

static inline size_t ltl_count_hex(const char *text)
{
    size_t length = 0;
    while (ltl_hex(text[length]) >= 0)
        length++;
    return length;
}

/* N@: a bit for each cell but the middle, row by row. */
static inline const char *ltl_read_mask(const char **at, struct ltl_rule *rule)
{
    const size_t side = 2 * rule->radius + 1, cells = side * side, length = ltl_count_hex(*at);
    if (length != (cells - 1) / 4) {
        *at += length < (cells - 1) / 4 ? length : (cells - 1) / 4;
        return "N@ needs a hexadecimal digit for every four cells of the square without the middle: 2 digits for R1, 6 "
               "for R2, R (R + 1) for any R";
    }
    for (size_t i = 0; i < cells; i++) {
        const size_t bit = i - (i > cells / 2);
        if (i != cells / 2)
            rule->weight[i / side][i % side] = (int16_t) (ltl_hex((*at)[bit / 4]) >> (3 - bit % 4) & 1);
    }
    *at += length;
    return NULL;
}

/* NW: a digit or two for each cell. The highest bit of a weight is its sign. */
static inline const char *ltl_read_weights(const char **at, struct ltl_rule *rule)
{
    const size_t side = 2 * rule->radius + 1, cells = side * side, length = ltl_count_hex(*at);
    if (length != cells && length != 2 * cells) {
        *at += length;
        return "NW needs one hexadecimal digit for each cell of the square, or two for each";
    }
    for (size_t i = 0; i < cells; i++) {
        const int one = ltl_hex((*at)[i]),
                  two = length == cells ? 0 : ltl_hex((*at)[2 * i]) * 16 + ltl_hex((*at)[2 * i + 1]);
        const int value = length == cells ? (one & 7) : (two & 127);
        rule->weight[i / side][i % side] = (int16_t) ((length == cells ? one & 8 : two & 128) ? -value : value);
    }
    *at += length;
    if (**at != ',')
        return NULL;
    ++*at;
    const size_t states = ltl_count_hex(*at);
    if (states != rule->states) {
        *at += states < rule->states ? states : rule->states;
        return "the weights of states are one hexadecimal digit for each state";
    }
    for (size_t i = 0; i < states; i++)
        rule->state_weight[i] = (uint8_t) ltl_hex(*(*at)++);
    return NULL;
}

/* Reads what follows N, up to the end. `middle` is 0 or 1. The weight of the middle is stated by NW and NG alone. */
static inline const char *ltl_read_neighbourhood(const char **at, struct ltl_rule *rule, int middle)
{
    const char letter = (char) toupper((unsigned char) **at);
    const char *wrong = NULL;
    rule->neighbourhood = letter;
    if (letter == 'L' && rule->radius > LTL_RADIUS_MAX / 2)
        return "a triangular neighbourhood has a radius of at most 25";
    rule->triangular = letter == 'L';
    rule->radius <<= rule->triangular; /* it is twice as wide as high */
    const int radius = (int) rule->radius;
    if (letter == '\0' || strchr(LTL_LETTERS, letter) == NULL)
        return "expected a neighbourhood: NM (square), NN (diamond), NC (circle), N2, N+, NX, N*, N#, NB, ND, NH, NA, "
               "N3, NL (triangles), NG, N@ or NW";
    if (radius > LTL_RADIUS_MAX && strchr("MNC2", letter) == NULL)
        return "a radius above 50 needs the neighbourhood NM, NN, NC or N2";
    ++*at;
    rule->middle = (uint32_t) middle;
    for (int y = -radius; radius <= LTL_RADIUS_MAX && y <= radius; y++)
        for (int x = -radius; x <= radius; x++)
            rule->weight[radius + y][radius + x] =
                (int16_t) (letter == 'G' ? (radius + 1 - abs(x)) * (radius + 1 - abs(y))
                                         : ltl_contains(letter, radius, x, y));
    if (letter != 'W' && radius <= LTL_RADIUS_MAX)
        rule->weight[radius][radius] = (int16_t) (middle + (letter == 'G' ? (radius + 1) * (radius + 1) : 0));
    if (letter == '@')
        wrong = ltl_read_mask(at, rule);
    else if (letter == 'W')
        wrong = ltl_read_weights(at, rule);
    const char grid = letter == '@' || letter == 'W' ? (char) toupper((unsigned char) **at) : '\0';
    if (wrong == NULL && (grid == 'H' || grid == 'L')) {
        rule->triangular = grid == 'L'; /* H says that Golly shows hexagons */
        ++*at;
    }
    if (wrong == NULL && **at != '\0')
        wrong = "unexpected text after the neighbourhood";
    return wrong;
}

/* Finds the largest count. */
static inline const char *ltl_find_most(struct ltl_rule *rule)
{
    const uint32_t side = 2 * rule->radius + 1;
    int64_t sums[2] = {0, 0}, largest = 0;
    for (int dy = -(int) rule->radius; rule->radius > LTL_RADIUS_MAX && dy <= (int) rule->radius; dy++)
        rule->most += 2 * (uint32_t) ltl_half(rule, dy) + 1;
    if (rule->radius > LTL_RADIUS_MAX) {
        rule->most -= !rule->middle;
        return NULL;
    }
    for (uint32_t i = 0; i < side * side; i++) {
        const int16_t weight = rule->weight[i / side][i % side];
        sums[weight < 0] += abs(weight);
    }
    for (uint32_t state = 0; state < rule->states; state++)
        largest = rule->state_weight[state] > largest ? rule->state_weight[state] : largest;
    if (sums[0] * largest >= LTL_COUNT_MAX || sums[1] * largest > LTL_COUNT_MAX)
        return "the weights make counts beyond 32766; choose a smaller radius or smaller weights";
    rule->most = (uint32_t) (sums[0] * largest);
    return NULL;
}

/* ---- Notations ----------------------------------------------------------------------------------------------- */

/* Reads a number and advances *at. Returns a larger number than any that is valid if there is none. */
static inline uint32_t ltl_number(const char **at)
{
    uint32_t number = 0;
    if (!isdigit((unsigned char) **at))
        return UINT32_MAX;
    for (; isdigit((unsigned char) **at); ++*at)
        number = number < 100000000 ? number * 10 + (uint32_t) (**at - '0') : number;
    return number;
}

/* Reads a letter and the number behind it. If the number is not from `least` to `most`, *at stays before it. */
static inline const char *ltl_setting(const char **at, char letter, uint32_t least, uint32_t most, uint32_t *number,
                                      const char *wrong)
{
    if (letter && toupper((unsigned char) **at) != letter)
        return wrong;
    const char *begin = letter ? *at + 1 : *at;
    *at = begin;
    *number = ltl_number(at);
    if (*number >= least && *number <= most)
        return NULL;
    *at = begin;
    return wrong;
}

static inline void ltl_set(uint32_t *counts, uint32_t first, uint32_t last)
{
    for (uint32_t n = first; n <= last; n++)
        counts[n / 32] |= 1u << n % 32;
}

#define LTL_EXAMPLE "; examples of rules are R5,C0,M1,S34..58,B34..45,NM and R3,C2,S2-5,8,B6-8,NN"

/* Reads S or B and its list of counts and of ranges, which may be empty. */
static inline const char *ltl_read_counts(const char **at, char letter, uint32_t most, uint32_t *counts)
{
    if (toupper((unsigned char) **at) != letter)
        return letter == 'S' ? "expected S and the counts at which a live cell survives" LTL_EXAMPLE
                             : "expected B and the counts at which a cell is born" LTL_EXAMPLE;
    do {
        uint32_t first = 0, last;
        const char *wrong = NULL;
        ++*at;
        if (!isdigit((unsigned char) **at))
            return NULL; /* an empty list */
        wrong = ltl_setting(at, '\0', 0, most, &first, "the neighbourhood does not have so many cells");
        last = first;
        if (!wrong && (**at == '-' || strncmp(*at, "..", 2) == 0)) {
            *at += **at == '-' ? 1 : 2;
            wrong = ltl_setting(
                at, '\0', first, most, &last,
                "expected the end of a range: not below its begin, and not more than the neighbourhood has");
        }
        if (wrong)
            return wrong;
        ltl_set(counts, first, last);
    } while (**at == ',' && isdigit((unsigned char) (*at)[1]));
    return NULL;
}

/* 5,34,45,34,58: radius, births, survivals. */
static inline const char *ltl_parse_evans(const char **at, struct ltl_rule *rule)
{
    uint32_t limits[4];
    const char *moore = "M";
    const char *wrong = ltl_setting(at, '\0', 1, LTL_WIDE_MAX, &rule->radius, "expected a radius from 1 to 500");
    if (wrong)
        return wrong;
    ltl_read_neighbourhood(&moore, rule, 1);
    ltl_find_most(rule);
    for (int i = 0; i < 4; i++) {
        if (**at != ',')
            return "expected five numbers with commas: radius, births from, to, survivals from, to";
        ++*at;
        wrong = ltl_setting(at, '\0', i % 2 ? limits[i - 1] : 0, rule->most, &limits[i],
                            "expected a count of at most the number of cells in the square, and ranges that do not end "
                            "before they begin");
        if (wrong)
            return wrong;
    }
    ltl_set(rule->counts[LTL_DEAD], limits[0], limits[1]);
    ltl_set(rule->counts[LTL_ALIVE], limits[2], limits[3]);
    return **at ? "unexpected text after the five numbers" : NULL;
}

static inline const char *ltl_comma(const char **at)
{
    if (**at != ',')
        return "expected a comma" LTL_EXAMPLE;
    ++*at;
    return NULL;
}

/* Reads what stands before S. */
static inline const char *ltl_read_settings(const char **at, struct ltl_rule *rule, uint32_t *middle, uint32_t *stated)
{
    const char *wrong =
        ltl_setting(at, 'R', 1, LTL_WIDE_MAX, &rule->radius, "expected R and a radius from 1 to 500" LTL_EXAMPLE);
    if (!wrong)
        wrong = ltl_comma(at);
    if (!wrong)
        wrong =
            ltl_setting(at, 'C', 0, LTL_STATES_MAX, &rule->states, "expected C and a number of states from 0 to 256");
    if (!wrong)
        wrong = ltl_comma(at);
    rule->states = rule->states < 2 ? 2 : rule->states;
    *stated = !wrong && toupper((unsigned char) **at) == 'M';
    if (*stated)
        wrong = ltl_setting(at, 'M', 0, 1, middle, "expected M0 or M1: whether a live cell counts itself");
    if (*stated && !wrong)
        wrong = ltl_comma(at);
    return wrong;
}

/* Rr,Cc[,Mm],Slist,Blist[,Nn]. The neighbourhood is read before the lists, because it limits the counts. */
static inline const char *ltl_parse_letters(const char **at, struct ltl_rule *rule)
{
    uint32_t middle = 0, stated;
    const char *wrong = ltl_read_settings(at, rule, &middle, &stated);
    if (wrong)
        return wrong;
    const char *end = *at, *neighbourhood = "M";
    while (*end && (end[0] != ',' || toupper((unsigned char) end[1]) != 'N'))
        end++;
    if (*end)
        neighbourhood = end + 2;
    wrong = ltl_read_neighbourhood(&neighbourhood, rule, (int) middle);
    if (!wrong)
        wrong = ltl_find_most(rule);
    if (wrong) {
        *at = *end ? neighbourhood : end;
        return wrong;
    }
    rule->most += stated && !middle; /* with M0, the counts may include the middle that is not counted */
    wrong = ltl_read_counts(at, 'S', rule->most, rule->counts[LTL_ALIVE]);
    if (!wrong)
        wrong = ltl_comma(at);
    if (!wrong)
        wrong = ltl_read_counts(at, 'B', rule->most, rule->counts[LTL_DEAD]);
    if (!wrong && *at != end)
        wrong = "expected a list of counts, or a comma, N and a neighbourhood" LTL_EXAMPLE;
    return wrong;
}

/* ---- Triangular rules -------------------------------------------------------------------------------------------- */

/* Rows -1 to 1 of the neighbourhood of a cell at which x + y is even, and the letter behind L. */
static const struct {
    char letter, rows[3][6];
} ltl_triangles[] = {
    {'\0', {"ooooo", "oo.oo", ".ooo."}}, {'E', {"..o..", ".o.o.", "....."}}, /* edges */
    {'V', {"oo.oo", "o...o", ".ooo."}},                                      /* vertices */
    {'I', {"o.o.o", ".o.o.", "..o.."}},  {'O', {".o.o.", "o...o", ".o.o."}}, /* inner and outer */
    {'B', {".ooo.", "oo.oo", ".o.o."}},  {'R', {"o...o", ".....", "..o.."}}, /* biohazard and radiation */
};
enum { LTL_TRIANGLES = sizeof ltl_triangles / sizeof ltl_triangles[0] };

/* Finds the L at the end of a triangular rule of Life. NULL: the rule has another notation. */
static inline const char *ltl_find_suffix(const char *text)
{
    const size_t length = strlen(text);
    if (length < 3 || strchr(text, ',') != NULL)
        return NULL;
    const char *end = text + length, *suffix = toupper((unsigned char) end[-1]) == 'L' ? end - 1 : end - 2;
    if (toupper((unsigned char) *suffix) != 'L')
        return NULL;
    for (int i = 0; i < LTL_TRIANGLES; i++)
        if (ltl_triangles[i].letter == toupper((unsigned char) suffix[1]))
            return suffix;
    return NULL;
}

static inline void ltl_set_triangles(char letter, struct ltl_rule *rule)
{
    int i = 0;
    while (ltl_triangles[i].letter != letter)
        i++;
    rule->neighbourhood = 'L';
    rule->triangular = 1;
    rule->radius = 2;
    for (int cell = 0; cell < 15; cell++)
        rule->weight[1 + cell / 5][cell % 5] = ltl_triangles[i].rows[cell / 5][cell % 5] == 'o';
}

/* Reads digits, each a count. x, y and z are 10, 11 and 12. */
static inline const char *ltl_read_digits(const char **at, uint32_t most, uint32_t *counts)
{
    static const char digits[] = "0123456789xyz";
    const char *found;
    for (; **at && (found = strchr(digits, tolower((unsigned char) **at))) != NULL; ++*at) {
        const uint32_t count = (uint32_t) (found - digits);
        if (count > most)
            return "the neighbourhood does not have so many cells";
        ltl_set(counts, count, count);
    }
    return NULL;
}

#define LTL_TRIANGULAR "; examples of triangular rules are B456/S34L, B34/S34/10LV and 34/34/10L"

/* Reads B and S with their counts, in either order, or survivals and births without letters. */
static inline const char *ltl_read_births(const char **at, struct ltl_rule *rule)
{
    const int lettered = !isdigit((unsigned char) **at) && **at != '/';
    int cell = LTL_DEAD;
    for (int part = 0; part < 2; part++) {
        const int letter = toupper((unsigned char) **at), before = cell;
        cell = lettered ? letter == 'S' : part == 0;
        if (lettered && ((letter != 'B' && letter != 'S') || (part == 1 && cell == before)))
            return "expected B and S with their counts" LTL_TRIANGULAR;
        *at += lettered;
        const char *wrong = ltl_read_digits(at, rule->most, rule->counts[cell]);
        if (wrong)
            return wrong;
        if (part == 0 && !lettered && **at != '/')
            return "expected a slash between survivals and births" LTL_TRIANGULAR;
        *at += part == 0 && **at == '/';
    }
    return NULL;
}

/* B456/S34L, S34/B456LE, B34/S34/10LV, 34/34/10L: LifeViewer's notation. */
static inline const char *ltl_parse_triangular(const char **at, const char *suffix, struct ltl_rule *rule)
{
    ltl_set_triangles((char) toupper((unsigned char) suffix[1]), rule);
    ltl_find_most(rule);
    const char *wrong = ltl_read_births(at, rule);
    if (!wrong && **at == '/') {
        ++*at;
        *at += toupper((unsigned char) **at) == 'C' || toupper((unsigned char) **at) == 'G';
        wrong = ltl_setting(at, '\0', 2, LTL_STATES_MAX, &rule->states, "expected a number of states from 2 to 256");
    }
    return wrong || *at == suffix ? wrong : "expected the end of the rule" LTL_TRIANGULAR;
}

/* Reads a rule in any of the notations, with letters in either case. Returns NULL, or why the text is not a rule; then
 * *wrong_at is the place. */
static inline const char *ltl_parse_at(const char *text, struct ltl_rule *rule, const char **wrong_at)
{
    memset(rule, 0, sizeof *rule);
    rule->states = 2;
    rule->state_weight[LTL_ALIVE] = 1;
    *wrong_at = text;
    if (strlen(text) > LTL_TEXT_MAX) {
        *wrong_at += LTL_TEXT_MAX;
        return "a rule has at most 500 characters";
    }
    const char *suffix = ltl_find_suffix(text);
    if (suffix)
        return ltl_parse_triangular(wrong_at, suffix, rule);
    return isdigit((unsigned char) *text) ? ltl_parse_evans(wrong_at, rule) : ltl_parse_letters(wrong_at, rule);
}

#endif
