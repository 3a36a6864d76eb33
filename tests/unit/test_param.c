/* Typed parameters: the texts that are numbers or words, and the messages about all other texts. */
#include "base/nearest.h"
#include "config/param.h"
#include "plugin/host.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct engine_param integer(double min, double max)
{
    return (struct engine_param){.name = "k", .type = ENGINE_PARAM_INTEGER, .initial = "1", .min = min, .max = max};
}

static struct engine_param real(double min, double max)
{
    return (struct engine_param){.name = "k", .type = ENGINE_PARAM_REAL, .initial = "1", .min = min, .max = max};
}

/* Fragment NULL: the text must be accepted. */
static struct engine_value parse(const struct engine_param *param, const char *text, const char *fragment)
{
    struct engine_error error = {0, ""};
    struct engine_value value;
    int status = param_parse(param, text, NULL, &value, &error);
    if (!fragment && status != 0)
        fail_msg("'%s' is refused: %s", text, error.text);
    if (fragment && (status != ENGINE_STATUS_USAGE || error.status != ENGINE_STATUS_USAGE))
        fail_msg("'%s': status %d, expected %d", text, status, ENGINE_STATUS_USAGE);
    if (fragment && !strstr(error.text, fragment))
        fail_msg("'%s': message '%s', expected '…%s…'", text, error.text, fragment);
    return value;
}

/* ---- Whole numbers ------------------------------------------------------------------------------------------ */

static void given_a_whole_number_when_parsed_then_it_is_that_number(void **state)
{
    static const struct {
        const char *text;
        int64_t number;
    } cases[] = {
        {"0", 0},
        {"7", 7},
        {"-7", -7},
        {"10", 10},
        {"1000000", 1000000},
        {"9223372036854775807", INT64_MAX},
        {"-9223372036854775808", INT64_MIN},
        {"9007199254740993", INT64_C(9007199254740993)},
    };
    const struct engine_param any = integer(0, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct engine_value value = parse(&any, cases[i].text, NULL);
        assert_true(value.integer == cases[i].number);
        assert_true(value.real == (double) cases[i].number);
        assert_ptr_equal(value.text, cases[i].text);
    }
}

static void given_no_whole_number_when_parsed_then_the_message_says_why(void **state)
{
    static const struct {
        const char *text, *fragment;
    } cases[] = {
        {"", "k = : expected a whole number"},
        {"12abc", "k = 12abc: expected a whole number and nothing after it"},
        {"abc", "expected a whole number"},
        {"-", "expected a whole number"},
        {"--1", "expected a whole number"},
        {"- 1", "expected a whole number"},
        {"+5", "expected a whole number without '+'"},
        {"010", "expected a whole number without leading zeros"},
        {"-010", "without leading zeros"},
        {"00", "without leading zeros"},
        {"-0", "expected 0 without a sign"},
        {"0x10", "in decimal digits, not hexadecimal"},
        {"-0X1F", "in decimal digits, not hexadecimal"},
        {"1e3", "in digits, without '.' and exponent"},
        {"1E3", "in digits, without '.' and exponent"},
        {"1.0", "in digits, without '.' and exponent"},
        {"1.", "in digits, without '.' and exponent"},
        {".5", "expected a whole number"},
        {"1 2", "and nothing after it"},
        {"1,000", "and nothing after it"},
        {"1'000", "and nothing after it"},
        {"1_000", "and nothing after it"},
        {" 5", "expected a whole number"},
        {"5 ", "and nothing after it"},
        {"nan", "expected a whole number"},
        {"inf", "expected a whole number"},
        {"yes", "expected a whole number"},
        {"\xd9\xa3", "expected a whole number"}, /* a digit, but not ours */
        {"9223372036854775808", "out of range, expected a number of 64 bits"},
        {"-9223372036854775809", "out of range, expected a number of 64 bits"},
        {"99999999999999999999999999999999999999", "out of range"},
    };
    const struct engine_param any = integer(0, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        parse(&any, cases[i].text, cases[i].fragment);
}

static void given_a_range_when_a_number_is_outside_then_the_range_is_said(void **state)
{
    struct engine_param cells = integer(1, 10);
    cells.unit = "cells";
    const struct engine_param count = integer(1, 1e15), positive = integer(1, INFINITY), all = integer(-0x1p63, 0x1p63),
                              seed = integer(0, 0x1p63), low = integer(-INFINITY, -1), exact = integer(0, 0x1p53);
    const struct {
        const struct engine_param *param;
        const char *text, *fragment;
    } cases[] = {
        {&cells, "1", NULL},
        {&cells, "10", NULL},
        {&cells, "0", "k = 0: out of range, expected 1 to 10 cells"},
        {&cells, "11", "expected 1 to 10 cells"},
        {&cells, "-5", "expected 1 to 10 cells"},
        {&cells, "99999999999999999999", "expected 1 to 10 cells"},
        {&count, "1000000000000000", NULL},
        {&count, "1000000000000001", "expected 1 to 1000000000000000"},
        {&positive, "9223372036854775807", NULL},
        {&positive, "0", "expected at least 1"},
        {&seed, "9223372036854775807", NULL},
        {&seed, "9223372036854775808", "expected at least 0"},
        {&low, "-1", NULL},
        {&low, "0", "expected at most -1"},
        {&all, "-9223372036854775808", NULL},
        {&exact, "9007199254740992", NULL},
        {&exact, "9007199254740993", "expected 0 to 9007199254740992"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        parse(cases[i].param, cases[i].text, cases[i].fragment);
}

/* ---- Numbers ------------------------------------------------------------------------------------------------ */

static void given_a_number_when_parsed_then_it_is_the_nearest_double(void **state)
{
    static const struct {
        const char *text;
        double number;
    } cases[] = {
        {"0", 0.0},
        {"-0", -0.0},
        {"0.0", 0.0},
        {"1", 1.0},
        {"-1.5", -1.5},
        {"0.001", 1e-3},
        {".5", 0.5},
        {"5.", 5.0},
        {"1e3", 1000.0},
        {"1E3", 1000.0},
        {"1e+3", 1000.0},
        {"1e-3", 1e-3},
        {"1.25e02", 125.0},
        {"0.1", 0x1.999999999999ap-4},
        {"1.7976931348623157e308", DBL_MAX},
        {"2.2250738585072014e-308", DBL_MIN},
        {"5e-324", 0x1p-1074},
        {"1e-310", 1e-310},
        {"1e-999", 0.0},
        {"-1e-999", -0.0},
        {"0e999", 0.0},
        {"0.30000000000000004440892098500626", 0.30000000000000004},
    };
    const struct engine_param any = real(0, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct engine_value value = parse(&any, cases[i].text, NULL);
        if (value.real != cases[i].number || signbit(value.real) != signbit(cases[i].number))
            fail_msg("'%s' is %a, expected %a", cases[i].text, value.real, cases[i].number);
    }
}

/* So engine_param_real and engine_param_integer are right for a parameter of another type. */
static void given_a_value_when_parsed_then_both_its_numbers_are_right(void **state)
{
    static const struct {
        const char *text;
        int64_t integer;
    } cases[] = {{"2.9", 2}, {"-2.9", -2}, {"0", 0}, {"-9.2e18", INT64_C(-9200000000000000000)}, {"1e300", 0}};
    const struct engine_param any = real(0, 0), flag = {.name = "k", .type = ENGINE_PARAM_FLAG, .initial = "no"};
    const char *const words[] = {"one", "two", "three", NULL};
    const struct engine_param choice = {.name = "k", .type = ENGINE_PARAM_CHOICE, .initial = "one", .choices = words};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_true(parse(&any, cases[i].text, NULL).integer == cases[i].integer);
    assert_true(parse(&flag, "yes", NULL).real == 1);
    assert_true(parse(&choice, "three", NULL).real == 2);
}

static void given_no_number_when_parsed_then_the_message_says_why(void **state)
{
    static const struct {
        const char *text, *fragment;
    } cases[] = {
        {"", "k = : expected a number"},
        {"abc", "expected a number"},
        {".", "expected a number"},
        {"-.", "expected a number"},
        {"-", "expected a number"},
        {"e5", "expected a number"},
        {".e5", "expected a number"},
        {"12abc", "k = 12abc: expected a number and nothing after it"},
        {"1.5f", "nothing after it"},
        {"1.5.2", "nothing after it"},
        {"1e", "nothing after it"},
        {"1e+", "nothing after it"},
        {"1e5.5", "nothing after it"},
        {"1e5e5", "nothing after it"},
        {"1d5", "nothing after it"},
        {"1,5", "nothing after it"},
        {"1 5", "nothing after it"},
        {"5 ", "nothing after it"},
        {" 5", "expected a number"},
        {"+1.5", "expected a number without '+'"},
        {"01.5", "without leading zeros"},
        {"00", "without leading zeros"},
        {"-00.5", "without leading zeros"},
        {"nan", "expected a finite number"},
        {"-nan", "expected a finite number"},
        {"NaN(1)", "expected a finite number"},
        {"inf", "expected a finite number"},
        {"-Infinity", "expected a finite number"},
        {"0x1p3", "not hexadecimal"},
        {"-0X1", "not hexadecimal"},
        {"1e999", "out of range, expected a number below 1.8e308"},
        {"-1e999", "out of range"},
        {"1.7976931348623159e308", "out of range"},
    };
    const struct engine_param any = real(0, 0);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        parse(&any, cases[i].text, cases[i].fragment);
}

static void given_a_real_range_when_a_number_is_outside_then_the_range_is_said(void **state)
{
    struct engine_param length = real(0.1, 2.5);
    length.unit = "sigma";
    const struct engine_param positive = real(0, INFINITY), finite = real(0, DBL_MAX), low = real(-INFINITY, 1e-30);
    const struct {
        const struct engine_param *param;
        const char *text, *fragment;
    } cases[] = {
        {&length, "0.1", NULL},
        {&length, "2.5", NULL},
        {&length, "0.09999999999999999", "expected 0.1 to 2.5 sigma"},
        {&length, "3", "k = 3: out of range, expected 0.1 to 2.5 sigma"},
        {&length, "1e999", "expected 0.1 to 2.5 sigma"},
        {&positive, "-1e-300", "expected at least 0"},
        {&positive, "1e999", "expected at least 0"},
        {&finite, "1e308", NULL},
        {&finite, "-1", "expected at least 0"},
        {&low, "1", "expected at most 1e-30"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        parse(cases[i].param, cases[i].text, cases[i].fragment);
}

/* ---- Words -------------------------------------------------------------------------------------------------- */

static void given_a_flag_when_parsed_then_eight_words_are_known(void **state)
{
    static const char *const words[2][7] = {{"no", "false", "off", "0", "No", "FALSE", "Off"},
                                            {"yes", "true", "on", "1", "Yes", "TRUE", "On"}};
    static const char *const others[] = {"", "y", "n", "ja", "2", "00", "yes please", " yes", "-1"};
    const struct engine_param flag = {.name = "k", .type = ENGINE_PARAM_FLAG, .initial = "no"};
    for (int truth = 0; truth < 2; truth++)
        for (int i = 0; i < 7; i++)
            assert_int_equal(parse(&flag, words[truth][i], NULL).integer, truth);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        parse(&flag, others[i], "expected yes or no (true, false, on, off, 1, 0)");
}

static void given_a_choice_when_parsed_then_its_index_is_found_or_the_words_are_listed(void **state)
{
    static const char *const words[] = {"leapfrog", "euler", "rk4", NULL};
    const struct engine_param choice = {
        .name = "integrator", .type = ENGINE_PARAM_CHOICE, .initial = "euler", .choices = words};
    for (int i = 0; i < 3; i++)
        assert_int_equal(parse(&choice, words[i], NULL).integer, i);
    parse(&choice, "leapfog", "integrator = leapfog: expected one of leapfrog, euler, rk4, did you mean 'leapfrog'?");
    parse(&choice, "Euler", "expected one of leapfrog, euler, rk4, did you mean 'euler'?");
    parse(&choice, "verlet", "integrator = verlet: expected one of leapfrog, euler, rk4");
    parse(&choice, "", "integrator = : expected one of leapfrog, euler, rk4");
}

static void given_a_text_of_any_length_when_refused_then_the_message_stays_short(void **state)
{
    static char text[5000];
    const struct engine_param any = integer(0, 0);
    struct engine_value value;
    struct engine_error error;
    memset(text, '7', sizeof text - 1);
    assert_int_equal(param_parse(&any, text, NULL, &value, &error), ENGINE_STATUS_USAGE);
    assert_true(strlen(error.text) < 200);
    assert_non_null(strstr(error.text, "777…: out of range"));
}

/* ---- The plugin's own check --------------------------------------------------------------------------------- */

static int check_even(const struct engine_host *host, const struct engine_value *value)
{
    if (value->integer % 2 == 0)
        return ENGINE_OK;
    /* ENGINE_FAIL, whose `fail` would be cmocka's macro here. */
    return (host->fail)(host, ENGINE_INVALID, __FILE__, __LINE__, "%d is odd", (int) value->integer);
}

static int check_silently(const struct engine_host *host, const struct engine_value *value)
{
    return ENGINE_INVALID;
}

static void given_a_check_when_it_refuses_then_its_reason_is_the_message(void **state)
{
    struct host host;
    struct engine_value value;
    struct engine_error error;
    struct engine_param even = integer(0, 10), silent = integer(0, 10);
    even.check = check_even;
    silent.check = check_silently;
    host_init(&host, NULL, "test", 1, NULL);
    const struct param_checker checker = host_param_checker(&host);
    assert_int_equal(param_parse(&even, "4", &checker, &value, &error), 0);
    assert_int_equal(param_parse(&even, "5", &checker, &value, &error), ENGINE_STATUS_USAGE);
    assert_string_equal(error.text, "k = 5: 5 is odd");
    assert_int_equal(param_parse(&even, "11", &checker, &value, &error), ENGINE_STATUS_USAGE);
    assert_string_equal(error.text, "k = 11: out of range, expected 0 to 10"); /* not asked before it is in range */
    assert_int_equal(param_parse(&silent, "4", &checker, &value, &error), ENGINE_STATUS_USAGE);
    assert_string_equal(error.text, "k = 4: refused without a reason"); /* not the reason before */
    assert_int_equal(param_parse(&even, "5", NULL, &value, &error), 0);
    host_release(&host);
}

/* ---- Sections ----------------------------------------------------------------------------------------------- */

static const char *const modes[] = {"fast", "exact", NULL};
static const struct engine_param table[] = {
    {.name = "steps", .type = ENGINE_PARAM_INTEGER, .initial = "100", .min = 1, .max = 1000},
    {.name = "dt", .type = ENGINE_PARAM_REAL, .initial = "0.5", .min = 0, .max = 1},
    {.name = "mode", .type = ENGINE_PARAM_CHOICE, .initial = "exact", .choices = modes},
    {.name = "rule", .type = ENGINE_PARAM_TEXT, .initial = "B3/S23"},
};
enum { STEPS, DT, MODE, RULE, COUNT };
static const struct engine_param_array params = {table, COUNT, sizeof table[0]};

/* A configuration without a file: its places are "section.key". */
static struct config *assigned(const char *const *assignments)
{
    struct config *config;
    struct engine_error error;
    assert_int_equal(config_open(NULL, &config, &error), 0);
    for (; *assignments; assignments++)
        assert_int_equal(config_set(config, *assignments, &error), 0);
    return config;
}

static void given_a_section_when_read_then_keys_and_defaults_become_values(void **state)
{
    struct config *config = assigned((const char *const[]){"life.Steps=7", "life.rule=", "other.x=1", NULL});
    struct engine_value values[COUNT];
    struct engine_error error;
    assert_int_equal(param_read_section(config, "life", &params, NULL, NULL, values, &error), 0);
    assert_int_equal(values[STEPS].integer, 7);
    assert_true(values[DT].real == 0.5);
    assert_int_equal(values[MODE].integer, 1);
    assert_string_equal(values[RULE].text, "");
    assert_int_equal(param_read_section(config, "absent", &params, NULL, NULL, values, &error), 0);
    assert_int_equal(values[STEPS].integer, 100);
    assert_string_equal(values[RULE].text, "B3/S23");
    config_close(config);
}

static void given_a_wrong_section_when_read_then_key_and_place_are_named(void **state)
{
    static const struct {
        const char *assignment, *message;
    } cases[] = {
        {"life.stesp=5", "life.stesp: unknown key 'stesp' in [life], did you mean 'steps'?"},
        {"life.colour=5", "life.colour: unknown key 'colour' in [life], expected one of steps, dt, mode, rule"},
        {"life.steps=12abc", "[life] steps = 12abc: expected a whole number and nothing after it"},
        {"life.steps=0", "[life] steps = 0: out of range, expected 1 to 1000"},
        {"life.mode=exakt", "[life] mode = exakt: expected one of fast, exact, did you mean 'exact'?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct config *config = assigned((const char *const[]){cases[i].assignment, NULL});
        struct engine_value values[COUNT];
        struct engine_error error;
        assert_int_equal(param_read_section(config, "life", &params, NULL, NULL, values, &error), ENGINE_STATUS_USAGE);
        assert_string_equal(error.text, cases[i].message);
        config_close(config);
    }
}

static void given_a_plugin_without_parameters_when_it_gets_one_then_it_is_refused(void **state)
{
    struct config *config = assigned((const char *const[]){"life.x=1", NULL});
    const struct engine_param_array none = {NULL, 0, 0};
    struct engine_error error;
    assert_int_equal(param_read_section(config, "life", &none, NULL, NULL, NULL, &error), ENGINE_STATUS_USAGE);
    assert_string_equal(error.text, "life.x: unknown key 'x' in [life], which has none");
    assert_int_equal(param_read_section(config, "other", &none, NULL, NULL, NULL, &error), 0);
    config_close(config);
}

static void given_a_default_that_its_check_refuses_when_read_then_it_is_called_a_default(void **state)
{
    struct host host;
    struct config *config = assigned((const char *const[]){NULL});
    struct engine_param odd = integer(0, 10);
    odd.check = check_even;
    const struct engine_param_array one = {&odd, 1, sizeof odd};
    struct engine_value value;
    struct engine_error error;
    host_init(&host, NULL, "test", 1, NULL);
    const struct param_checker checker = host_param_checker(&host);
    assert_int_equal(param_read_section(config, "life", &one, NULL, &checker, &value, &error), ENGINE_STATUS_USAGE);
    assert_string_equal(error.text, "configuration: [life] default of k = 1: 1 is odd");
    host_release(&host);
    config_close(config);
}

/* ---- Sizes and near names ----------------------------------------------------------------------------------- */

static void given_sizes_when_parsed_then_each_is_a_number_of_at_least_1(void **state)
{
    static const struct {
        const char *text;
        uint32_t count;
        uint64_t numbers[3];
    } cases[] = {
        {"512", 1, {512}},
        {"512 384", 2, {512, 384}},
        {"1 2 3", 3, {1, 2, 3}},
        {" 5\t6 ", 2, {5, 6}},
        {"9223372036854775807", 1, {INT64_MAX}},
        {"1 2 3 4", 0, {0}},
        {"", 0, {0}},
        {"  ", 0, {0}},
        {"0", 0, {0}},
        {"5 0", 0, {0}},
        {"-5", 0, {0}},
        {"+5", 0, {0}},
        {"05", 0, {0}},
        {"5x6", 0, {0}},
        {"5,6", 0, {0}},
        {"5.0", 0, {0}},
        {"1e3", 0, {0}},
        {"5 6 y", 0, {0}},
        {"9223372036854775808", 0, {0}},
        {"99999999999999999999", 0, {0}},
        {"0x10", 0, {0}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint64_t numbers[3] = {0, 0, 0};
        uint32_t count = param_parse_sizes(cases[i].text, false, numbers, 3);
        if (count != cases[i].count)
            fail_msg("'%s' has %u sizes, expected %u", cases[i].text, count, cases[i].count);
        for (uint32_t k = 0; k < count; k++)
            assert_true(numbers[k] == cases[i].numbers[k]);
    }
    uint64_t numbers[3] = {1, 1, 1};
    assert_int_equal(param_parse_sizes("0 20", true, numbers, 3), 2);
    assert_true(numbers[0] == 0 && numbers[1] == 20);
    assert_int_equal(param_parse_sizes("00 20", true, numbers, 3), 0);
}

static const char *word_at(const void *list, uint32_t index)
{
    return ((const char *const *) list)[index];
}

static void given_a_name_when_mistyped_then_the_nearest_is_found_and_a_far_one_is_not(void **state)
{
    static const char *const list[] = {"steps", "softening", "g", "dt", "life2d-bit", "life3d-bit", "r_max", NULL};
    static const struct {
        const char *name, *near;
    } cases[] = {
        {"stesp", "steps"},
        {"step", "steps"},
        {"Steps", "steps"},
        {"stteps", "steps"},
        {"softning", "softening"},
        {"soft", "softening"},
        {"sofetnign", "softening"},
        {"dtt", "dt"},
        {"td", "dt"},
        {"rmax", "r_max"},
        {"life2d", "life2d-bit"},
        {"lief2d-bit", "life2d-bit"},
        {"life3d", "life3d-bit"},
        {"life3d-bits", "life3d-bit"},
        {"colour", NULL},
        {"", NULL},
        {"x", NULL},
        {"sleep", NULL},
        {"q", NULL},
    };
    char hint[128], expected[128];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *near = nearest(cases[i].name, word_at, list);
        if (near != cases[i].near && (!near || !cases[i].near || strcmp(near, cases[i].near) != 0))
            fail_msg("nearest to '%s' is '%s', expected '%s'", cases[i].name, near ? near : "(none)",
                     cases[i].near ? cases[i].near : "(none)");
        snprintf(expected, sizeof expected, ", did you mean '%s'?", near ? near : "");
        assert_string_equal(nearest_hint(hint, cases[i].name, word_at, list), near ? expected : "");
    }
    assert_null(nearest("x", word_at, (const char *const[]){NULL}));
}

static void given_a_name_of_any_length_when_compared_then_nothing_is_near(void **state)
{
    static char longest[1000];
    memset(longest, 'a', sizeof longest - 1);
    assert_null(nearest(longest, word_at, (const char *const[]){"a", longest, "aaaaaaaa", NULL}));
    assert_string_equal(nearest("a", word_at, (const char *const[]){longest, "a", NULL}), "a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(given_a_whole_number_when_parsed_then_it_is_that_number),
        cmocka_unit_test(given_no_whole_number_when_parsed_then_the_message_says_why),
        cmocka_unit_test(given_a_range_when_a_number_is_outside_then_the_range_is_said),
        cmocka_unit_test(given_a_number_when_parsed_then_it_is_the_nearest_double),
        cmocka_unit_test(given_a_value_when_parsed_then_both_its_numbers_are_right),
        cmocka_unit_test(given_no_number_when_parsed_then_the_message_says_why),
        cmocka_unit_test(given_a_real_range_when_a_number_is_outside_then_the_range_is_said),
        cmocka_unit_test(given_a_flag_when_parsed_then_eight_words_are_known),
        cmocka_unit_test(given_a_choice_when_parsed_then_its_index_is_found_or_the_words_are_listed),
        cmocka_unit_test(given_a_text_of_any_length_when_refused_then_the_message_stays_short),
        cmocka_unit_test(given_a_check_when_it_refuses_then_its_reason_is_the_message),
        cmocka_unit_test(given_a_section_when_read_then_keys_and_defaults_become_values),
        cmocka_unit_test(given_a_wrong_section_when_read_then_key_and_place_are_named),
        cmocka_unit_test(given_a_plugin_without_parameters_when_it_gets_one_then_it_is_refused),
        cmocka_unit_test(given_a_default_that_its_check_refuses_when_read_then_it_is_called_a_default),
        cmocka_unit_test(given_sizes_when_parsed_then_each_is_a_number_of_at_least_1),
        cmocka_unit_test(given_a_name_when_mistyped_then_the_nearest_is_found_and_a_far_one_is_not),
        cmocka_unit_test(given_a_name_of_any_length_when_compared_then_nothing_is_near),
    };
    return cmocka_run_group_tests_name("param", tests, NULL, NULL);
}
