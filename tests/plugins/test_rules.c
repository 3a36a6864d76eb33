/* Rules of two states: the squares of Hensel's letters against pictures, the notations against plain loops, the spelling
 * against Golly's, and the networks of life2d-bit against the rules. */
#include <life/rule.h>
#include <life2d-bit/square_code.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>

static struct life_rule rule_of(const char *text)
{
    struct life_rule rule;
    size_t place;
    const char *wrong = life_rule_parse(text, &rule, &place);
    if (wrong)
        fail_msg("%s: %s", text, wrong);
    return rule;
}

/* ---- Letters ------------------------------------------------------------------------------------------------ */

/* A neighbourhood for each number of neighbours and letter, as LifeWiki shows them: three rows, 'o' alive. */
static const struct {
    char name[3], cells[10];
} pictures[] = {
    {"1c", "o........"}, {"1e", ".o......."}, {"2c", "o.o......"}, {"2e", ".o.o....."}, {"2k", ".o......o"},
    {"2a", "oo......."}, {"2i", ".o.....o."}, {"2n", "o.......o"}, {"3c", "o.o...o.."}, {"3e", ".o.o.o..."},
    {"3k", ".o.o....o"}, {"3a", "oo.o....."}, {"3i", "ooo......"}, {"3n", "o.oo....."}, {"3y", "o.o....o."},
    {"3q", "o..o....o"}, {"3j", ".ooo....."}, {"3r", "oo.....o."}, {"4c", "o.o...o.o"}, {"4e", ".o.o.o.o."},
    {"4k", "..oo...oo"}, {"4a", "oooo....."}, {"4i", "o.oo.o..."}, {"4n", "ooo...o.."}, {"4y", "..oo..o.o"},
    {"4q", "oo.o....o"}, {"4j", "..oo.o.o."}, {"4r", "...o.o.oo"}, {"4t", "..oo.o..o"}, {"4w", "..o..ooo."},
    {"4z", "..oo.oo.."},
};
enum { PICTURES = sizeof pictures / sizeof pictures[0] };

/* Is cell (x, y) of a square alive, of x and y from 0 to 2? */
static int alive(uint32_t square, int x, int y)
{
    return square >> (8 - 3 * y - x) & 1;
}

/* Do the neighbours of a square look like a picture, turned or reflected in one of eight ways? `live` is what the picture
 * shows as 'o'. */
static int looks_like(uint32_t square, const char *picture, int live)
{
    for (int way = 0; way < 8; way++) {
        int same = 1;
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++) {
                const int u = way & 1 ? 2 - x : x, v = way & 2 ? 2 - y : y;
                const int shown = picture[way & 4 ? 3 * u + v : 3 * v + u] == 'o';
                if (x != 1 || y != 1)
                    same &= alive(square, x, y) == (shown ? live : !live);
            }
        if (same)
            return 1;
    }
    return 0;
}

/* "B2a/S" and the like: the rule has exactly the squares of the picture, of a dead or a live cell. */
static void expect_squares(const char *text, const char *picture, int live, int cell, int count, int minus)
{
    const struct life_rule rule = rule_of(text);
    for (uint32_t square = 0; square < 512; square++) {
        int neighbours = 0;
        for (int i = 0; i < 9; i++)
            neighbours += i != 4 && alive(square, i % 3, i / 3);
        const int wanted =
            alive(square, 1, 1) == cell && neighbours == count && looks_like(square, picture, live) == !minus;
        if ((int) life_rule_next(&rule, square) != wanted)
            fail_msg("%s: square %x is not %d", text, square, wanted);
    }
}

static void letters_are_the_neighbourhoods_of_the_pictures(void **state)
{
    (void) state;
    int classes = 0;
    for (int i = 0; i < PICTURES; i++) {
        const int digit = pictures[i].name[0] - '0', letter = pictures[i].name[1];
        for (int live = 1; live >= (digit == 4); live--) {
            const int count = live ? digit : 8 - digit;
            for (int minus = 0; minus < 2; minus++) {
                char born[16], stays[16];
                snprintf(born, sizeof born, "B%d%s%c/S", count, minus ? "-" : "", letter);
                snprintf(stays, sizeof stays, "b/s%d%s%c", count, minus ? "-" : "", letter - 'a' + 'A');
                expect_squares(born, pictures[i].cells, live, 0, count, minus);
                expect_squares(stays, pictures[i].cells, live, 1, count, minus);
            }
            classes += 2;
        }
    }
    assert_int_equal(classes + 4, 102); /* and those of 0 and 8 neighbours */
}

/* ---- Other neighbourhoods ----------------------------------------------------------------------------------- */

/* The neighbours that V and H count: x and y from -1 to 1. */
static int counted(char suffix, int x, int y)
{
    if (x == 0 && y == 0)
        return 0;
    return suffix == 'V' ? x == 0 || y == 0 : suffix == 'H' ? x == y || x == 0 || y == 0 : 1;
}

static void suffixes_choose_the_neighbours(void **state)
{
    (void) state;
    static const struct {
        const char *text;
        char suffix;
        uint32_t birth, survive;
    } cases[] = {{"B2/S013V", 'V', 1 << 2, 1 << 0 | 1 << 1 | 1 << 3},
                 {"b2/s34h", 'H', 1 << 2, 1 << 3 | 1 << 4},
                 {"04/13v", 'V', 1 << 1 | 1 << 3, 1 << 0 | 1 << 4},
                 {"B6S5H", 'H', 1 << 6, 1 << 5},
                 {"S23/B3", ' ', 1 << 3, 1 << 2 | 1 << 3}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct life_rule rule = rule_of(cases[i].text);
        assert_int_equal(rule.counts, cases[i].suffix == ' ');
        for (uint32_t square = 0; square < 512; square++) {
            int count = 0;
            for (int y = -1; y <= 1; y++)
                for (int x = -1; x <= 1; x++)
                    count += counted(cases[i].suffix, x, y) && alive(square, x + 1, y + 1);
            const uint32_t numbers = alive(square, 1, 1) ? cases[i].survive : cases[i].birth;
            assert_int_equal(life_rule_next(&rule, square), numbers >> count & 1);
        }
    }
}

/* LifeViewer's squares (js/patterns.js, ruleHexNeighbourhoods) of the letters o, m and p of 2, 3 and 4 neighbours. Its
 * bits are those of a square from the right to the left: 64 is the upper left cell. */
static const struct {
    char name[3];
    uint8_t squares[13];
} hexagonal[] = {
    {"2o", {6, 36, 160, 192, 72, 10}},
    {"2m", {132, 96, 136, 66, 12, 34}},
    {"2p", {68, 40, 130}},
    {"3o", {38, 164, 224, 200, 74, 14}},
    {"3m", {44, 162, 196, 104, 138, 70, 100, 168, 194, 76, 42, 134}},
    {"3p", {140, 98}},
    {"4o", {166, 228, 232, 202, 78, 46}},
    {"4m", {172, 226, 204, 106, 142, 102}},
    {"4p", {108, 170, 198}},
};

/* Turns a square from the right to the left. */
static uint32_t turned_over(uint32_t square)
{
    return (square & 0222) | (square & 0111) << 2 | (square & 0444) >> 2;
}

static void letters_of_six_neighbours_are_those_of_lifeviewer(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof hexagonal / sizeof hexagonal[0]; i++) {
        char text[16], written[LIFE_RULE_TEXT];
        snprintf(text, sizeof text, "B%s/SH", hexagonal[i].name);
        const struct life_rule rule = rule_of(text);
        uint32_t born = 0, expected = 0;
        for (uint32_t square = 0; square < 512; square++)
            born += life_rule_next(&rule, square);
        for (const uint8_t *at = hexagonal[i].squares; *at; at++, expected += 4)
            assert_int_equal(life_rule_next(&rule, turned_over(*at)), 1);
        assert_int_equal(born, expected); /* the two cells that do not count have any states */
        life_rule_write(&rule, written);
        assert_string_equal(written, text);
    }
}

/* ---- One dimension ------------------------------------------------------------------------------------------ */

/* The first rows of Rule 30 and Rule 110, as mathworld.wolfram.com shows them (Rule30.html, Rule110.html). */
static void wolframs_rules_make_the_next_row(void **state)
{
    (void) state;
    static const struct {
        const char *text, *rows[4];
    } cases[] = {{"W30", {"...o...", "..ooo..", ".oo..o.", "oo.oooo"}},
                 {"w110", {".....o.", "....oo.", "...ooo.", "..oo.o."}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct life_rule rule = rule_of(cases[i].text);
        for (int row = 0; row < 3; row++)
            for (int x = 1; x < 6; x++) {
                uint32_t square = 0;
                for (int dx = -1; dx <= 1; dx++)
                    square = square << 1 | (cases[i].rows[row][x + dx] == 'o');
                assert_int_equal(life_rule_next(&rule, square << 6), cases[i].rows[row + 1][x] == 'o');
                assert_int_equal(life_rule_next(&rule, square << 6 | 16), 1);
            }
    }
}

/* ---- MAP ---------------------------------------------------------------------------------------------------- */

/* The cells of a MAP string's bits, the highest first: x, y. Those of six neighbours are in Golly's order. */
static const char *const map_cells[] = {"00 10 20 01 11 21 02 12 22", "12 22 01 11 21 00 10", "10 01 11 21 12"};

static void map_strings_list_the_next_states(void **state)
{
    (void) state;
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t random = 1;
    for (int kind = 0; kind < 3; kind++) {
        const uint32_t cells = (uint32_t) (strlen(map_cells[kind]) + 1) / 3, bits = 1u << cells;
        char text[96] = "MAP", written[LIFE_RULE_TEXT];
        uint8_t next[516] = {0};
        for (uint32_t i = 0; i < bits; i++)
            next[i] = (uint8_t) ((random = random * 1664525u + 1013904223u) >> 30 & 1);
        for (uint32_t i = 0; i < bits; i += 6)
            text[3 + i / 6] = digits[next[i] << 5 | next[i + 1] << 4 | next[i + 2] << 3 | next[i + 3] << 2 |
                                     next[i + 4] << 1 | next[i + 5]];
        const struct life_rule rule = rule_of(text);
        for (uint32_t square = 0; square < 512; square++) {
            uint32_t index = 0;
            for (uint32_t i = 0; i < cells; i++)
                index = 2 * index +
                        (uint32_t) alive(square, map_cells[kind][3 * i] - '0', map_cells[kind][3 * i + 1] - '0');
            assert_int_equal(life_rule_next(&rule, square), next[index]);
        }
        life_rule_write(&rule, written);
        assert_string_equal(written, text);
    }
}

static void a_map_of_life_counts_as_life_does(void **state)
{
    (void) state;
    static const char map[] =
        "mapARYXfhZofugWaH7oaIDogBZofuhogOiAaIDogIAAgAAWaH7oaIDogGiA6ICAAIAAaIDogIAAgACAAIAAAAAAAA==";
    const struct life_rule rule = rule_of(map), life = rule_of("B3/S23");
    assert_true(rule.counts && rule.birth == 1 << 3 && rule.survive == (1 << 2 | 1 << 3));
    assert_memory_equal(rule.table, life.table, sizeof life.table);
}

/* ---- Spelling ----------------------------------------------------------------------------------------------- */

/* bgolly 3.3 prints these in the headers of the files that it writes. */
static void rules_are_written_as_golly_writes_them(void **state)
{
    (void) state;
    static const char *const spellings[][2] = {
        {"23/3", "B3/S23"},
        {"b3s23", "B3/S23"},
        {"S23/B3", "B3/S23"},
        {"B33/S", "B3/S"},
        {"B2-a/s12", "B2-a/S12"},
        {"b2ceaikn/s", "B2/S"},
        {"b2ceain/s23", "B2-k/S23"},
        {"b4ceaiknjq/s", "B4-rtwyz/S"},
        {"B4ceaikn/S4jqrytwz", "B4aceikn/S4jqrtwyz"},
        {"b2ke/s4yqk", "B2ek/S4kqy"},
        {"B4-ceai/S3-jqry4-twz", "B4-acei/S3-jqry4-twz"},
        {"B5-c6-e7-e/S5y6k7c8", "B5-c6-e7c/S5y6k7c8"},
        {"B2e3/S", "B2e3/S"},
        {"B3e2/S", "B23e/S"},
        {"B3-cekainyqjr/S", "B/S"},
        {"b2/s013v", "B2/S013V"},
        {"3/23h", "B23/S3H"},
        {"B0/S8", "B0/S8"},
        {"B012345678/S3", "B012345678/S3"},
        {"MAPARYXfg", "MAPARYXfg"},
        {"b2-a_s12", "B2-a/S12"},
        {"B234", "B234/S"},
        {"s23", "B/S23"},
        {"B2-a/", "B2-a/S"},
        {"b3v", "B3/SV"},
        {"w110", "W110"},
    };
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        char written[LIFE_RULE_TEXT];
        const struct life_rule rule = rule_of(spellings[i][0]);
        life_rule_write(&rule, written);
        assert_string_equal(written, spellings[i][1]);
    }
}

static void refusals_name_the_character(void **state)
{
    (void) state;
    static const struct {
        const char *text;
        size_t place;
        const char *reason;
    } cases[] = {
        {"", 0, "ends too early"},
        {"B3/x", 3, "consists of"},
        {"B3/B3", 3, "given twice"},
        {"B3/S23/4", 6, "too many slashes"},
        {"B3/S29", 5, "digits"},
        {"B5/S1V", 1, "with V 4"},
        {"B2/S7H", 4, "with H 6"},
        {"B2x/S", 2, "consists of"},
        {"B2q/S", 2, "letters of 2 and 6"},
        {"B1a/S", 2, "c and e"},
        {"B3t/S", 2, "letters of 3 and 5"},
        {"B4u/S", 2, "consists of"},
        {"B0c/S", 2, "0 and 8"},
        {"B8-c/S", 2, "0 and 8"},
        {"B2-/S", 3, "follow a minus"},
        {"B2--a/S", 3, "follow a minus"},
        {"B-2/S", 1, "a minus follows"},
        {"B2-a2c/S", 4, "twice"},
        {"B2a2-c/S", 4, "twice"},
        {"B2a/SV", 2, "with V has no letters"},
        {"B2a/SH", 2, "m, o and p"},
        {"B5o/SH", 2, "m, o and p"},
        {"B2o/S", 2, "consists of"},
        {"W256", 4, "0 to 255"},
        {"W", 1, "0 to 255"},
        {"B3V/S23", 2, "at the end"},
        {"B3/S23HV", 6, "at the end"},
        {"B22c/S", 2, "listed twice"},
        {"B3/S2c2", 6, "listed twice"},
        {"MAPAAAA", 7, "86 characters"},
        {"MAPAA!AAAA", 5, "base64"},
        {"3", 1, "too early"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct life_rule rule;
        size_t place = 999;
        const char *wrong = life_rule_parse(cases[i].text, &rule, &place);
        if (!wrong || !strstr(wrong, cases[i].reason) || place != cases[i].place)
            fail_msg("'%s': %s, at %zu", cases[i].text, wrong ? wrong : "accepted", place);
    }
}

/* ---- Networks ----------------------------------------------------------------------------------------------- */

static int check_network(const struct life_rule *rule)
{
    const struct life2d_square_network net = life2d_find_square_network(rule);
    assert_in_range(net.count, 1, LIFE2D_SQUARE_NODES);
    for (uint32_t square = 0; square < 512; square++)
        assert_int_equal(life2d_square_result(&net, square), life_rule_next(rule, square));
    return life2d_square_operations(&net);
}

static void networks_compute_their_rules(void **state)
{
    (void) state;
    static const char *const rules[] = {"B/S",          "B012345678/S012345678",
                                        "B/S012345678", "B012345678/S",
                                        "B3/S23",       "B2-a/S12",
                                        "B3/S2-i34q",   "B2/S013V",
                                        "B2/S34H",      "B1/S1V"};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct life_rule rule = rule_of(rules[i]);
        assert_in_range(check_network(&rule), 1, 24); /* without sums of lines, B2-a/S12 takes 30 */
    }
    const struct life_rule dense = rule_of("B2aen3ae4eq5aey6ekn/S1e3nqry4aw5jknr6acekn7ce");
    assert_in_range(check_network(&dense), 1, 60);
    uint64_t random = 1;
    for (int i = 0; i < 10; i++) {
        struct life_rule rule = {0};
        for (int w = 0; w < 8; w++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            rule.table[w] = random ^ random >> 29;
        }
        assert_in_range(check_network(&rule), 40, 85); /* a choice by all cells in turn takes 105 */
    }
}

#if defined(__x86_64__) && defined(__linux__)

/* Rows of vectors, with one more vector at either end. */
enum { CODE_COLUMNS = 5, CODE_WORDS = (CODE_COLUMNS + 2) * 8 };

/* The same bit of neighbouring vectors is a row of cells, so the cell on the left is `words` before. */
static uint64_t next_word(const struct life_rule *rule, uint64_t rows[3][CODE_WORDS], int at, int words)
{
    uint64_t next = 0;
    for (int bit = 0; bit < 64; bit++) {
        uint32_t square = 0;
        for (int i = 0; i < 9; i++)
            square = square << 1 | (rows[i / 3][at + (i % 3 - 1) * words] >> bit & 1);
        next |= (uint64_t) life_rule_next(rule, square) << bit;
    }
    return next;
}

static void check_code_of(const struct life_rule *rule, const struct life2d_square_network *net, int words,
                          uint64_t *random)
{
    uint64_t rows[3][CODE_WORDS], before[3][CODE_WORDS];
    struct life2d_square_code code = life2d_make_square_code(net, 8 * words);
    assert_non_null(code.row);
    for (uint64_t count = 1; count <= CODE_COLUMNS; count++) {
        for (int i = 0; i < 3 * CODE_WORDS; i++) {
            *random = *random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            rows[i / CODE_WORDS][i % CODE_WORDS] = *random ^ *random >> 29;
        }
        memcpy(before, rows, sizeof rows);
        code.row(&rows[0][words], &rows[1][words], &rows[2][words], count);
        for (int at = 0; at < CODE_WORDS; at++) {
            const bool inside = at >= words && at < ((int) count + 1) * words;
            assert_true(rows[0][at] == (inside ? next_word(rule, before, at, words) : before[0][at]));
        }
        assert_memory_equal(rows[1], before[1], 2 * sizeof rows[1]);
    }
    life2d_free_square_code(&code);
}

static void check_code(const struct life_rule *rule, uint64_t *random)
{
    const struct life_rule columns = life2d_transposed_rule(rule);
    const struct life2d_square_network net = life2d_find_square_network(&columns);
    check_code_of(rule, &net, 4, random);
    if (__builtin_cpu_supports("avx512f"))
        check_code_of(rule, &net, 8, random);
}

/* Rules without operations, with all line functions, and with more results than registers. */
static void machine_code_computes_its_rules(void **state)
{
    (void) state;
    static const char *const rules[] = {"B/S",        "B012345678/S", "B2-a/S12",
                                        "B3/S2-i34q", "B2/S34H",      "B2aen3ae4eq5aey6ekn/S1e3nqry4aw5jknr6acekn7ce"};
    uint64_t random = 7;
    if (!__builtin_cpu_supports("avx2"))
        skip();
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const struct life_rule rule = rule_of(rules[i]);
        check_code(&rule, &random);
    }
    for (uint32_t cell = 1; cell < 512; cell *= 2) { /* the next state is that of one cell of the square */
        struct life_rule rule = {0};
        for (uint32_t square = 0; square < 512; square++)
            if (square & cell)
                life_rule_set(&rule, square);
        check_code(&rule, &random);
    }
    for (int i = 0; i < 5; i++) {
        struct life_rule rule = {0};
        for (int w = 0; w < 8; w++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            rule.table[w] = random ^ random >> 29;
        }
        check_code(&rule, &random);
    }
}

#else

static void machine_code_computes_its_rules(void **state)
{
    (void) state;
    skip();
}

#endif

/* Cells in the shape of an L, whose mirror image has its corner at the upper right. */
static void transposed_rules_mirror_their_squares(void **state)
{
    (void) state;
    struct life_rule rule = {0};
    life_rule_set(&rule, 256 + 32 + 4 + 2);
    const struct life_rule once = life2d_transposed_rule(&rule), twice = life2d_transposed_rule(&once);
    for (uint32_t square = 0; square < 512; square++)
        assert_int_equal(life_rule_next(&once, square), square == 256 + 128 + 64 + 8);
    assert_memory_equal(twice.table, rule.table, sizeof rule.table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_are_the_neighbourhoods_of_the_pictures),
        cmocka_unit_test(suffixes_choose_the_neighbours),
        cmocka_unit_test(letters_of_six_neighbours_are_those_of_lifeviewer),
        cmocka_unit_test(wolframs_rules_make_the_next_row),
        cmocka_unit_test(map_strings_list_the_next_states),
        cmocka_unit_test(a_map_of_life_counts_as_life_does),
        cmocka_unit_test(rules_are_written_as_golly_writes_them),
        cmocka_unit_test(refusals_name_the_character),
        cmocka_unit_test(networks_compute_their_rules),
        cmocka_unit_test(machine_code_computes_its_rules),
        cmocka_unit_test(transposed_rules_mirror_their_squares),
    };
    return cmocka_run_group_tests_name("rules of two states", tests, NULL, NULL);
}
