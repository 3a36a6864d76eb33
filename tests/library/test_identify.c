/* What patterns are. Periods, speeds, heats, generations and populations are those of LifeWiki and of Golly's
 * collection, codes those of catagolue.hatsya.com. */
#include "tests/library/runs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <json-c/json.h>

static struct engine_context *context;
static char path[64];

static int begin(void **state)
{
    struct engine_error error;
    (void) state;
    snprintf(path, sizeof path, "/tmp/test_identify-%d.rle", (int) getpid());
    return open_built_context((struct engine_hooks){0}, &context, &error);
}

static int end(void **state)
{
    (void) state;
    engine_close(context);
    return unlink(path);
}

/* The JSON about a pattern, which the caller puts. */
static struct json_object *identify(const char *rule, const char *cells, const struct engine_question *question)
{
    struct engine_identity *identity;
    struct engine_error error;
    char *text;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "x = 0, y = 0, rule = %s\n%s\n", rule, cells);
    fclose(file);
    if (engine_identify(context, path, question, &identity, &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(engine_identity_print(identity, ENGINE_TEXT, &text, &error), 0);
    assert_non_null(strstr(text, "kind"));
    free(text);
    assert_int_equal(engine_identity_print(identity, ENGINE_JSON, &text, &error), 0);
    struct json_object *json = json_tokener_parse(text);
    assert_non_null(json);
    free(text);
    engine_identity_close(identity);
    return json;
}

/* Compares members with those of another object, written as JSON. Real numbers need to be as near as they are printed
 * in the lists. */
static void agrees(struct json_object *found, const char *expected)
{
    struct json_object *json = json_tokener_parse(expected), *member;
    assert_non_null(json);
    json_object_object_foreach(json, key, value)
    {
        if (!json_object_object_get_ex(found, key, &member))
            fail_msg("there is no %s in %s", key, json_object_to_json_string(found));
        const bool near = json_object_is_type(value, json_type_double) &&
                          json_object_get_double(value) - json_object_get_double(member) < 0.0501 &&
                          json_object_get_double(member) - json_object_get_double(value) < 0.0501;
        if (!near && !json_object_equal(value, member))
            fail_msg("%s is %s, expected %s", key, json_object_to_json_string(member),
                     json_object_to_json_string(value));
    }
    json_object_put(json);
    json_object_put(found);
}

static const struct {
    const char *rule, *cells, *expected;
} cases[] = {
    {"B3/S23", "2o$2o!", "{'kind': 'still life', 'period': 1, 'apgcode': 'xs4_33'}"},
    {"B3/S23", "2ob2o$2ob2o!", "{'kind': 'still life', 'apgcode': null, 'objects': {'xs4_33': 2}}"},
    {"B3/S23", "3o!",
     "{'kind': 'oscillator', 'period': 2, 'rotor': 4, 'stator': 1, 'heat': 4.0, 'volatility': 0.8, 'temperature': 1.0, "
     "'apgcode': 'xp2_7'}"},
    {"B3/S23", "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$o4bobo4bo$o4bobo4bo$o4bobo4bo2$2b3o3b3o!",
     "{'kind': 'oscillator', 'period': 3, 'fewest_cells': 48, 'most_cells': 72, 'heat': 42.7, "
     "'apgcode': 'xp3_co9nas0san9oczgoldlo0oldlogz1047210127401'}"},
    {"B3/S23", "2bo4bo$2ob4ob2o$2bo4bo!",
     "{'kind': 'oscillator', 'period': 15, 'fewest_cells': 12, 'heat': 22.4, 'apgcode': 'xp15_4r4z4r4'}"},
    {"B3/S23", "3o$3o$3o$3b3o$3b3o$3b3o!",
     "{'kind': 'oscillator', 'period': 8, 'fewest_cells': 12, 'heat': 16.5, 'apgcode': 'xp8_gk2gb3z11'}"},
    {"B3/S23", "bo$2bo$3o!",
     "{'kind': 'spaceship', 'period': 4, 'displacement': [1, 1], 'speed': 'c/4', 'direction': 'diagonal', 'heat': 4.0, "
     "'apgcode': 'xq4_153'}"},
    {"B3/S23", "bo2bo$o$o3bo$4o!",
     "{'kind': 'spaceship', 'period': 4, 'displacement': [-2, 0], 'speed': 'c/2', 'direction': 'orthogonal', "
     "'heat': 11.0, 'apgcode': 'xq4_6frc'}"},
    /* copperhead, loafer, and 25P3H1V0.1 */
    {"B3/S23", "b2o2b2o$3b2o$3b2o$obo2bobo$o6bo2$o6bo$b2o2b2o$2b4o2$3b2o$3b2o!",
     "{'kind': 'spaceship', 'period': 10, 'cells': 28, 'speed': 'c/10', 'direction': 'orthogonal'}"},
    {"B3/S23", "b2o2bob2o$o2bo2b2o$bobo$2bo$8bo$6b3o$5bo$6bo$7b2o!",
     "{'kind': 'spaceship', 'period': 7, 'speed': 'c/7', 'apgcode': 'xq7_3nw17862z6952'}"},
    {"B3/S23", "bo$obo$obo$2bo$2b2o$bobo2$2b3o$2bobo$bobo$3b2o2$3bo$bobo$bobo$2bo!",
     "{'kind': 'spaceship', 'period': 3, 'cells': 25, 'speed': 'c/3', 'direction': 'orthogonal'}"},
    {"B3/S23", "24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!",
     "{'kind': 'gun', 'period': 30, 'growth': 5.0, 'emits': {'xq4_153': 1}}"},
    /* A block-laying switch engine grows out of ten cells. It glides, and is reflected after half of its period. */
    {"B3/S23", "6bo$4bob2o$4bobo$4bo$2bo$obo!",
     "{'kind': 'puffer', 'period': 288, 'displacement': [-24, -24], 'speed': 'c/12', 'direction': 'diagonal', "
     "'emits': {'xs4_33': 8}, 'apgcode': 'yl144_1_16_afb5f3db909e60548f086e22ee3353ac'}"},
    /* The space rake. */
    {"B3/S23",
     "11b2o5b4o$9b2ob2o3bo3bo$9b4o8bo$10b2o5bo2bo2$8bo$7b2o8b2o$6bo9bo2bo$7b5o4bo2bo$8b4o3b2ob2o$11bo4b2o4$18b4o$"
     "o2bo13bo"
     "3bo$4bo16bo$o3bo12bo2bo$b4o!",
     "{'kind': 'rake', 'period': 20, 'speed': 'c/2', 'direction': 'orthogonal', 'emits': {'xq4_153': 1}}"},
    /* A square whose side grows by two cells in a step, counted by hand: its area gains 8 cells more each time. */
    {"B12345678/S012345678", "o!", "{'kind': 'quadratic growth', 'period': 1, 'growth': 8.0}"},
    /* All cells turn in each step, so the plane has another state in every other step. */
    {"B012345678/S", "o!", "{'kind': 'oscillator', 'period': 2, 'rotor': 0, 'apgcode': 'xp2_1'}"},
    /* Oscillators of the periods 5, 7, 8, 9, 11 and 13, far from each other: 360360 is their least common multiple. */
    {"B3/S23",
     "bo2bo12b2ob2o23b2o13b2o21b2o27b2o$ob2obo12bobo22bob2o14bo2bo2bo16bo27b2o$bo2bo12bo4bobo17bo16bo4b4o1"
     "5bo$bo2bo13b4o2bo20bo13b2o22b2o27bo$ob2obo17b2o16b2obo19b2o39bo5b2o$bo2bo15bo20b2o16b2obo2bo17b4o18b"
     "2o4bo$19bobo4b2o30bobobobo17bo3bo20b2obo7b2o$19b2o5bo31bo3b2o17bob3o19b2ob2o5b2ob2o$27b3o29b3o19bo3b"
     "o4bob2o11bobo6b2o$29bo31bo17b2obobo5b2obo19bo$80bobo29bo$80bobo29b2o$81bo29bobo$112bobo$111b2ob2o!",
     "{'kind': 'oscillator', 'period': 360360, 'objects': {'xp5_idiidiz01w1': 1, 'xp7_5b8b94gszw652y06a8o': 1, "
     "'xp8_gk2gb3z11': 1, 'xp9_0c93wmk46z69bo7421': 1, 'xp11_y0dbzggci5ld3xog8oz0343': 1, "
     "'xp13_gy1gr3zd5a64210g8c4066zy2kr6og': 1}}"},
    /* The R-pentomino, diehard, and a methuselah of another rule. */
    {"B3/S23", "b2o$2o$bo!",
     "{'kind': 'settles', 'settled': 1103, 'population': 116, 'period': 2, 'objects': {'xs4_33': 8, 'xq4_153': 6, "
     "'xp2_7': 4, 'xs6_696': 4, 'xs5_253': 1, 'xs6_356': 1, 'xs7_2596': 1}}"},
    {"B3/S23", "6bo$2o$bo3b3o!", "{'kind': 'dies', 'settled': 130}"},
    {"B3/S23-c", "3o$bo$o!", "{'kind': 'settles', 'settled': 352}"},
    /* Two layers: the live cells and the dying ones. With four states, state 2 has the bits of 6, and state 3 that of 2. The
     * forms are written by hand: of "3_03", "03_3" and "11_22", the second comes first; of "3_033_03", "w3_33_03",
     * "44_33_22" and "11_66_22", the last does. */
    {"/2/3", ".AB$.AB!", "{'kind': 'spaceship', 'period': 1, 'speed': 'c', 'apgcode': 'xq1_03_3'}"},
    {"/2/4", ".ABC$.ABC!", "{'kind': 'spaceship', 'period': 1, 'speed': 'c', 'apgcode': 'xq1_11_66_22'}"},
    /* A circuit of WireWorld, whose states are none of Generations: an electron runs along a loop of 8 cells. */
    {"WireWorld", ".CABC.$C4.C$.4C!", "{'kind': 'oscillator', 'apgcode': null}"},
    {"B3/S23:T16,16", "bo$2bo$3o!", "{'kind': 'oscillator', 'bounded': true, 'period': 64}"},
};

static void patterns_are_what_the_lists_say(void **state)
{
    char expected[1024];
    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snprintf(expected, sizeof expected, "%s", cases[i].expected);
        for (char *quote = expected; (quote = strchr(quote, '\''));)
            *quote = '"';
        agrees(identify(cases[i].rule, cases[i].cells, NULL), expected);
    }
}

static void limits_and_assignments(void **state)
{
    const char *const assignments[] = {"life2d-bit.rule=B3/S2"};
    const struct engine_question steps = {.size = sizeof steps, .steps = 100},
                                 cells = {.size = sizeof cells, .cells = 40000},
                                 other_rule = {.size = sizeof other_rule, .count = 1, .assignments = assignments};
    (void) state;
    agrees(identify("B3/S23", "b2o$2o$bo!", &steps), "{\"kind\": \"unknown\", \"steps\": 100}");
    agrees(identify("B3/S23", "b2o$2o$bo!", &cells), "{\"kind\": \"unknown\"}");
    /* Each cell of a block has three neighbours and dies, and no dead cell has three. */
    agrees(identify("B3/S23", "2o$2o!", &other_rule), "{\"kind\": \"dies\", \"settled\": 1}");
}

static void errors(void **state)
{
    struct engine_identity *identity;
    struct engine_error error;
    (void) state;
    assert_int_equal(engine_identify(context, "/tmp/none/none.rle", NULL, &identity, &error), ENGINE_STATUS_INPUT);
    assert_null(identity);
    engine_identity_close(identity);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patterns_are_what_the_lists_say),
        cmocka_unit_test(limits_and_assignments),
        cmocka_unit_test(errors),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
