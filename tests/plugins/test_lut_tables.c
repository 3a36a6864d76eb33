/* Compares the tables of life2d-lut with cells that are counted one by one in a plain array, and with a known
 * number. */
#include <life2d-lut/tables.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const char *const rules[] = {"B3/S23", "B36/S23", "B3678/S34678", "B0123478/S01234678", "B1357/S02468"};
enum { RULES = sizeof rules / sizeof rules[0] };

static struct life_rule rule_of(const char *text)
{
    struct life_rule rule;
    size_t place;
    assert_null(life_rule_parse(text, &rule, &place));
    return rule;
}

/* Does the rule name `digit` after `letter`? */
static int named(const char *rule, char letter, int digit)
{
    const char *at = strchr(rule, letter) + 1;
    for (; *at >= '0' && *at <= '8'; at++)
        if (*at - '0' == digit)
            return 1;
    return 0;
}

/* The next state of cell (x, y) of `columns` by `rows` cells, read from bits row by row. */
static uint32_t next_cell(const char *rule, uint32_t bits, int columns, int x, int y)
{
    int neighbours = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx || dy)
                neighbours += bits >> ((y + dy) * columns + x + dx) & 1;
    return (uint32_t) named(rule, bits >> (y * columns + x) & 1 ? 'S' : 'B', neighbours);
}

static void six_by_three_gives_the_next_four(void **state)
{
    (void) state;
    for (int r = 0; r < RULES; r++) {
        const struct life_rule rule = rule_of(rules[r]);
        for (uint32_t index = 0; index < LUT_6X3_ENTRIES; index++)
            for (int x = 0; x < 4; x++)
                assert_int_equal(lut_6x3(&rule, index) >> x & 1, next_cell(rules[r], index, 6, x + 1, 1));
    }
}

static void four_by_four_gives_the_next_two_by_two(void **state)
{
    (void) state;
    for (int r = 0; r < RULES; r++) {
        const struct life_rule rule = rule_of(rules[r]);
        for (uint32_t index = 0; index < LUT_4X4_ENTRIES; index++)
            for (int i = 0; i < 4; i++)
                assert_int_equal(lut_4x4(&rule, index) >> (4 * (i / 2) + i % 2) & 1,
                                 next_cell(rules[r], index, 4, i % 2 + 1, i / 2 + 1));
    }
}

/* 56 squares with three live neighbours around a dead cell, 28 + 56 with two or three around a live one. */
static void life_has_140_live_squares_of_512(void **state)
{
    (void) state;
    const struct life_rule life = rule_of("B3/S23");
    uint32_t alive = 0;
    for (uint32_t square = 0; square < 512; square++)
        alive += lut_next(&life, square & 7, square >> 3 & 7, square >> 6, 0);
    assert_int_equal(alive, 140);
}

static void sums_are_of_three_cells(void **state)
{
    (void) state;
    for (uint32_t index = 0; index < 1 << 10; index++)
        for (int x = 0; x < 8; x++) {
            const uint32_t threes[] = {0, 1, 1, 2, 1, 2, 2, 3};
            assert_int_equal(lut_sums(index, 8, 4) >> 4 * x & 15, threes[index >> x & 7]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(six_by_three_gives_the_next_four),
        cmocka_unit_test(four_by_four_gives_the_next_two_by_two),
        cmocka_unit_test(life_has_140_live_squares_of_512),
        cmocka_unit_test(sums_are_of_three_cells),
    };
    return cmocka_run_group_tests_name("the tables of life2d-lut", tests, NULL, NULL);
}
