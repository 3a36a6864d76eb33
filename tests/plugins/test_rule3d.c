/* Rules of 3D Life as text. */
#include <life/rule3d.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define N(n) (1u << (n))

static void reads_both_notations(void **state)
{
    (void) state;
    static const struct {
        const char *text;
        uint32_t birth, survive;
    } rules[] = {
        {"B6/S5..7", N(6), N(5) | N(6) | N(7)},
        {"b6/s5..7", N(6), N(5) | N(6) | N(7)},
        {"S5..7/B6", N(6), N(5) | N(6) | N(7)},
        {"B6S5,6,7", N(6), N(5) | N(6) | N(7)},
        {"3D5..7/6", N(6), N(5) | N(6) | N(7)},
        {"3d5,6,7/6", N(6), N(5) | N(6) | N(7)},
        {"B4,6,9..11/S5,7", N(4) | N(6) | N(9) | N(10) | N(11), N(5) | N(7)},
        {"3D5,7/9..11,4,6", N(4) | N(6) | N(9) | N(10) | N(11), N(5) | N(7)},
        {"B/S", 0, 0},
        {"3D/", 0, 0},
        {"B5/S", N(5), 0},
        {"3D/5", N(5), 0},
        {"B0/S0", N(0), N(0)},
        {"B26/S26..26", N(26), N(26)},
        {"B0..26/S0..26", 0x7ffffff, 0x7ffffff},
        {"B7,6..8/S1", N(6) | N(7) | N(8), N(1)}, /* a number may be said twice */
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct life3d_rule rule = {~0u, ~0u};
        const char *wrong = life3d_rule_parse(rules[i].text, &rule);
        if (wrong || rule.birth != rules[i].birth || rule.survive != rules[i].survive)
            fail_msg("%s: %x %x %s", rules[i].text, rule.birth, rule.survive, wrong ? wrong : "");
    }
}

static void refuses_everything_else(void **state)
{
    (void) state;
    static const struct {
        const char *text, *why;
    } rules[] = {
        {"", "B or S is missing"},
        {"6/5..7", "B or S is missing"},
        {"B6", "B or S is missing"},
        {"B6/", "B or S is missing"},
        {"S5..7", "B or S is missing"},
        {"B6/B5", "B or S is given twice"},
        {"S6/S5", "B or S is given twice"},
        {"B27/S5", "from 0 to 26"},
        {"B6/S5..27", "from 0 to 26"},
        {"B4294967302/S5", "from 0 to 26"},
        {"B6,/S5", "from 0 to 26"},
        {"B6/S5..", "from 0 to 26"},
        {"B6/S5..7,", "from 0 to 26"},
        {"B6/S..7", "something follows the numbers"},
        {"B6/S7..5", "a range ends below its beginning"},
        {"B 6/S5", "B or S is missing"},
        {"B6 /S5", "B or S is missing"},
        {"B6/S5, 7", "from 0 to 26"},
        {"B6/S5 ", "something follows the numbers"},
        {" B6/S5", "B or S is missing"},
        {"B6/S5/S7", "something follows the numbers"},
        {"B6/S5-7", "something follows the numbers"},
        {"B6/S5.7", "something follows the numbers"},
        {"3D5..7", "the slash"},
        {"3D5..7/27", "from 0 to 26"},
        {"3D7..5/6", "a range ends below its beginning"},
        {"3D5..7/6/2", "something follows the numbers"},
        {"3D 5..7/6", "the slash"},
        {"3D1/1F", "neighbourhoods other than"},
        {"3D1/1C", "neighbourhoods other than"},
        {"3D1/1E", "neighbourhoods other than"},
        {"3D0..6/1,3H", "neighbourhoods other than"},
        {"3D1/1f", "neighbourhoods other than"},
    };
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        struct life3d_rule rule = {0, 0};
        const char *wrong = life3d_rule_parse(rules[i].text, &rule);
        if (!wrong || !strstr(wrong, rules[i].why))
            fail_msg("%s: %s", rules[i].text, wrong ? wrong : "taken");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_both_notations),
        cmocka_unit_test(refuses_everything_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
