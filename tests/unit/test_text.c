/* UTF-8 as RFC 3629 defines it, and what text from files and names of files becomes in messages, JSON and XML. */
#include "base/context.h"
#include "base/error.h"
#include "base/text.h"
#include "files/json.h"
#include "formats/pictures/plot.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* RFC 3629, section 4: the first and the last character of each row of its table, and bytes that no row allows. */
static void utf8_is_that_of_the_rfc(void **state)
{
    static const struct {
        const char *text;
        uint32_t bytes;
    } cases[] = {
        {"\x01", 1},
        {"\x7f", 1},
        {"\xc2\x80", 2},
        {"\xdf\xbf", 2},
        {"\xe0\xa0\x80", 3},
        {"\xe0\xbf\xbf", 3},
        {"\xe1\x80\x80", 3},
        {"\xec\xbf\xbf", 3},
        {"\xed\x80\x80", 3},
        {"\xed\x9f\xbf", 3},
        {"\xee\x80\x80", 3},
        {"\xef\xbf\xbf", 3},
        {"\xf0\x90\x80\x80", 4},
        {"\xf0\xbf\xbf\xbf", 4},
        {"\xf1\x80\x80\x80", 4},
        {"\xf3\xbf\xbf\xbf", 4},
        {"\xf4\x80\x80\x80", 4},
        {"\xf4\x8f\xbf\xbf", 4},
        {"\x80", 0},             /* a following byte alone */
        {"\xbf", 0},             /* and another */
        {"\xc0\x80", 0},         /* two bytes for a character of one */
        {"\xc1\xbf", 0},         /* and another */
        {"\xe0\x9f\xbf", 0},     /* three bytes for a character of two */
        {"\xf0\x8f\xbf\xbf", 0}, /* four bytes for a character of three */
        {"\xed\xa0\x80", 0},     /* surrogates */
        {"\xed\xbf\xbf", 0},     /* and another */
        {"\xf4\x90\x80\x80", 0}, /* above 10FFFF */
        {"\xf5\x80\x80\x80", 0}, /* and another */
        {"\xff", 0},
        {"\xc3(", 0},
        {"\xe2\x82(", 0},
        {"\xf0\x90\x80(", 0},
        {"\xe2\x28\x82", 0},
    };
    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t length = strlen(cases[i].text);
        if (text_utf8(cases[i].text, length) != cases[i].bytes)
            fail_msg("case %zu: %u bytes", i, text_utf8(cases[i].text, length));
        for (size_t left = 0; left < cases[i].bytes; left++) /* a character that is cut */
            assert_int_equal(text_utf8(cases[i].text, left), 0);
    }
}

static void bytes_that_are_no_text_are_replaced(void **state)
{
    char *copy = text_to_utf8("a\xe9z\xc3\xa9\xe2\x82", 7);
    (void) state;
    assert_string_equal(copy, "a\xef\xbf\xbdz\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd");
    free(copy);
    copy = text_to_utf8("", 0);
    assert_string_equal(copy, "");
    free(copy);
}

static void keep_message(void *user, int level, const char *source, const char *text)
{
    (void) level, (void) source;
    strcpy(user, text);
}

/* Colours, the bell, CSI as one character and as one byte, a line of its own: a file that says so does not get it. */
static void messages_hold_no_control_characters(void **state)
{
    struct engine_error error;
    (void) state;
    error_set(&error, ENGINE_STATUS_INPUT, "%s: \xc3\xa4", "\x1b[31mred\a\nengine: all is well\x7f\xc2\x9b\x9b");
    error_prefix(&error, "%s", "\x1b]0;title\r");
    assert_string_equal(error.text, "?]0;title??[31mred??engine: all is well????: \xc3\xa4");

    char told[64] = "";
    const struct context context = {.hooks = {.size = sizeof context.hooks, .user = told, .message = keep_message}};
    context_message(&context, ENGINE_LOG_WARNING, "%s", "version \x1b[2J");
    assert_string_equal(told, "version ?[2J");
}

static void messages_name_a_key_once(void **state)
{
    static const struct {
        const char *given, *shown;
    } cases[] = {
        {"--set run.steps: [run] steps = x: a number", "--set: [run] steps = x: a number"},
        {"--set RUN.steps: [run] Steps = x: a number", "--set: [run] Steps = x: a number"},
        {"run.steps: [run] steps = x: a number", "[run] steps = x: a number"},
        {"member 1: life2d-bit.rule: [life2d-bit] rule: no", "member 1: [life2d-bit] rule: no"},
        {"has 4, but --set init.frames: [init] frames starts at 4", "has 4, but --set: [init] frames starts at 4"},
        {"a.b: [a] b: c.d: [c] d", "[a] b: [c] d"},
        {"a.ini:3: [run] steps = x", "a.ini:3: [run] steps = x"},
        {"run.parts: [run] part", "run.parts: [run] part"},
        {"run.steps: [grid] steps", "run.steps: [grid] steps"},
        {"steps: [run] steps", "steps: [run] steps"},
        {"run.steps: [run steps", "run.steps: [run steps"},
        {": [", ": ["},
    };
    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[100];
        snprintf(text, sizeof text, "%s", cases[i].given);
        text_name_once(text);
        assert_string_equal(text, cases[i].shown);
    }
}

static void json_is_utf8(void **state)
{
    struct json_object *json = json_new_object();
    struct engine_error error;
    char *text;
    (void) state;
    json_add_text(json, "path", "out/\xe9\x1b");
    json_add_real(json, "none", (double) NAN);
    assert_int_equal(json_take_text(json, JSON_C_TO_STRING_PLAIN, &text, &error), 0);
    assert_string_equal(text, "{\"path\":\"out/\xef\xbf\xbd\\u001b\",\"none\":null}");
    free(text);
}

static void xml_is_escaped(void **state)
{
    static const char text[] = "<a href=\"&\">\x1b\xe9\xc3\xa4\t\n";
    char *page;
    size_t bytes;
    (void) state;
    FILE *file = open_memstream(&page, &bytes);
    plot_escape(file, text, sizeof text - 1);
    fclose(file);
    assert_string_equal(page, "&lt;a href=&quot;&amp;&quot;>\xef\xbf\xbd\xef\xbf\xbd\xc3\xa4\t\n");
    free(page);
}

/* ---- JSON that anybody may have written ------------------------------------------------------------------------- */

static int parse(const char *text, const char *what)
{
    struct json_object *json;
    struct engine_error error = {0};
    const int status = json_parse_object(text, strlen(text), &json, &error);
    json_object_put(json);
    if (what && !strstr(error.text, what))
        fail_msg("%s: %s", text, error.text);
    return status;
}

static void json_of_others_is_one_object(void **state)
{
    static const char *const wrong[] = {"",    "1",       "null",        "[]",         "{",          "{} x",
                                        "{}{", "{\"a\":", "{\"a\":1,]}", "/* a */ {}", "{\"a\": tru"};
    /* These are not JSON, but json-c takes them unless it is told otherwise, and some even then. */
    static const char *const lax[] = {
        "{\"a\":1,}",        "{\"a\":[1, ]}", "{\"a\":True}", "{\"a\":NULL}",   "{\"a\":NaN}",
        "{\"a\":-Infinity}", "{\"a\":'b'}",   "{'a':1}",      "{\"a\":\"\n\"}", "{\"a\n\":1}",
        "{\"a\":1 // b\n}",  "{\"a\":1}\v",   "{}, "};
    (void) state;
    assert_int_equal(parse("{\"a\": [1, {\"b\": \"[{\\\"[{\"}]}\n", NULL), 0);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_int_equal(parse(wrong[i], "is not a JSON object"), ENGINE_STATUS_INPUT);
    for (size_t i = 0; i < sizeof lax / sizeof lax[0]; i++)
        assert_int_equal(parse(lax[i], "is not a JSON object"), ENGINE_STATUS_INPUT);
}

/* RFC 8259, section 7: a string holds any character but quotes, backslashes and control characters. */
static void json_of_others_has_utf8(void **state)
{
    static const char text[] = "{\"gr\xc3\xbcn\": \"\xe2\x82\xac, \\\" \xf0\x9f\x90\xa2\x7f\"} \n";
    struct json_object *json;
    struct engine_error error = {0};
    (void) state;
    if (json_parse_object(text, strlen(text), &json, &error) != 0)
        fail_msg("%s", error.text);
    struct json_object *member = json_member(json, "gr\xc3\xbcn", json_type_string);
    assert_string_equal(json_object_get_string(member), "\xe2\x82\xac, \" \xf0\x9f\x90\xa2\x7f");
    json_object_put(json);
}

/* A text of n empty objects in an array, which is the member of that key. */
static char *many(size_t n, const char *key)
{
    char *text = malloc(3 * n + 32), *at = text + sprintf(text, "{%s:[", key);
    for (size_t i = 0; i < n; i++)
        at += sprintf(at, "%s{}", i ? "," : "");
    strcpy(at, "]}");
    return text;
}

static void json_of_others_takes_little_memory(void **state)
{
    static const char *const keys[] = {"\"a\"", "\"'\"", "\"\\\"\"", "\"[{\""};
    (void) state;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char *most = many(JSON_CONTAINERS_MAX - 2, keys[i]), *more = many(JSON_CONTAINERS_MAX - 1, keys[i]);
        assert_int_equal(parse(most, NULL), 0);
        assert_int_equal(parse(more, "4097 JSON objects and arrays"), ENGINE_STATUS_INPUT);
        free(most);
        free(more);
    }
    char *hidden = many(JSON_CONTAINERS_MAX, "'\"'"); /* the brackets stand in a string, but not for json-c */
    assert_int_equal(parse(hidden, "is not a JSON object"), ENGINE_STATUS_INPUT);
    free(hidden);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_is_that_of_the_rfc),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced),
        cmocka_unit_test(messages_hold_no_control_characters),
        cmocka_unit_test(messages_name_a_key_once),
        cmocka_unit_test(json_is_utf8),
        cmocka_unit_test(xml_is_escaped),
        cmocka_unit_test(json_of_others_is_one_object),
        cmocka_unit_test(json_of_others_has_utf8),
        cmocka_unit_test(json_of_others_takes_little_memory),
    };
    return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
