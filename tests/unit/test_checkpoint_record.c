/* Records of checkpoints that are whole, and lie. */
#include "files/json.h"
#include "record/checkpoint_record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As an engine writes it, at step 1000. */
static const char good[] =
    "{\"subject\":{\"[run] plugin\":\"p\"},\"computed\":{\"run.implementation\":\"exact\"},\"output\":{\"written\":900,"
    "\"row\":1000,\"metrics_bytes\":160,\"analysis_metrics_bytes\":0,\"bounds\":[0.0,1.5,0,-2.0],\"series\":[{"
    "\"every\":"
    "100,\"last\":900,\"formats\":[\"npy\",\"apng\"]}]},\"until\":{\"start\":0,\"first\":[12.5,null],\"looked\":1000,"
    "\"hash\":\"0123456789abcdef0123456789abcdef\",\"again\":true,\"kept\":640,\"kept_hash\":\"\",\"looks\":36,"
    "\"limit\":64},\"analysis_frames\":11,\"analysis_last\":1000}";

static void a_record_is_read(void **state)
{
    struct checkpoint_record record;
    struct engine_error error = {0};
    (void) state;
    assert_int_equal(record_read(NULL, good, 1000, &record, &error), 0);
    assert_int_equal(record.output.written, 900);
    assert_int_equal(record.output.row, 1000);
    assert_int_equal(record.output.metrics_bytes, 160);
    assert_true(record.output.bounds[1] == 1.5 && record.output.bounds[3] == -2);
    assert_int_equal(record.output.series_count, 1);
    assert_int_equal(record.output.series[0].every, 100);
    assert_int_equal(record.output.series[0].last, 900);
    assert_string_equal(record.output.series[0].formats[1]->about->name, "apng");
    assert_int_equal(record.analysis_frames, 11);
    assert_int_equal(record.analysis_last, 1000);
    assert_true(record.has_until && record.until.again && record.until.metrics == 2);
    assert_true(record.until.first[0] == 12.5 && record.until.first[1] != record.until.first[1]);
    assert_int_equal(record.until.looked, 1000);
    assert_int_equal(record.until.kept, 640);
    assert_int_equal(record.until.limit, 64);
    assert_string_equal(record.until.hash, "0123456789abcdef0123456789abcdef");
    record_release(&record);
}

/* The same with other text in the place of one text. */
static int read_with(const char *out, const char *in, uint64_t step)
{
    char text[2048];
    struct checkpoint_record record;
    struct engine_error error = {0};
    const char *at = strstr(good, out);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int) (at - good), good, in, at + strlen(out));
    const int status = record_read(NULL, text, step, &record, &error);
    assert_true(status == 0 || strstr(error.text, "is not a checkpoint"));
    record_release(&record);
    return status;
}

static void what_was_not_written_yet_is_null(void **state)
{
    (void) state;
    assert_int_equal(read_with("\"written\":900", "\"written\":null", 1000), 0);
    assert_int_equal(read_with("\"row\":1000", "\"row\":null", 1000), 0);
    assert_int_equal(read_with(",\"analysis_frames\":11,\"analysis_last\":1000", "", 1000), 0);
    assert_int_equal(read_with("\"computed\":{\"run.implementation\":\"exact\"},", "", 1000), 0); /* an older engine */
}

static void numbers_are_bounded(void **state)
{
    static const struct {
        const char *out, *in;
    } changes[] = {
        {"\"last\":900", "\"last\":1000000000000000"},
        {"\"last\":900", "\"last\":-1"},
        {"\"last\":900", "\"last\":null"},
        {"\"last\":900", "\"last\":\"900\""},
        {"\"every\":100", "\"every\":-100"},
        {"\"every\":100", "\"every\":9.5"},
        {"\"written\":900", "\"written\":1001"},
        {"\"row\":1000", "\"row\":18446744073709551615"},
        {"\"metrics_bytes\":160", "\"metrics_bytes\":9223372036854775808"},
        {"\"metrics_bytes\":160", "\"metrics_bytes\":-160"},
        {"\"metrics_bytes\":160", "\"metrics_bytes\":null"},
        {"\"analysis_metrics_bytes\":0", "\"analysis_metrics_bytes\":18446744073709551615"},
        {"[0.0,1.5,0,-2.0]", "[0.0,1.5,0]"},
        {"[0.0,1.5,0,-2.0]", "[0.0,1e999,0,-2.0]"},
        {"\"npy\"", "\"npz\""},
        {"\"npy\"", "1"},
        {"[\"npy\",\"apng\"]", "{}"},
        {"[{\"every\"", "[1,{\"every\""},
        {"\"analysis_frames\":11", "\"analysis_frames\":1002"},
        {"\"analysis_last\":1000", "\"analysis_last\":1001"},
        {"\"until\":{", "\"until\":1,\"x\":{"},
        {"\"start\":0", "\"start\":null"},
        {"\"start\":0", "\"start\":1001"},
        {"\"looked\":1000", "\"looked\":1001"},
        {"\"kept\":640", "\"kept\":-1"},
        {"\"looks\":36", "\"looks\":1002"},
        {"\"limit\":64", "\"limit\":null"},
        {"\"again\":true", "\"again\":1"},
        {"\"0123456789abcdef", "\"0123456789abcdeg"},
        {"\"0123456789abcdef", "\"0123456789abcdef0"},
        {"\"kept_hash\":\"\"", "\"kept_hash\":null"},
        {"[12.5,null]", "{}"},
        {"\"subject\":{\"[run] plugin\":\"p\"}", "\"subject\":[]"},
        {"\"output\"", "\"outputs\""},
    };
    (void) state;
    for (size_t i = 0; i < sizeof changes / sizeof changes[0]; i++)
        if (read_with(changes[i].out, changes[i].in, 1000) != ENGINE_STATUS_INPUT)
            fail_msg("%s is read", changes[i].in);
}

/* A run of 10^15 steps does not have a file for each of them; a film may have a frame for each. */
static void files_are_bounded(void **state)
{
    const uint64_t far = UINT64_C(1000000000000000);
    (void) state;
    assert_int_equal(read_with("\"every\":100,\"last\":900", "\"every\":1,\"last\":999999999999999", far),
                     ENGINE_STATUS_INPUT);
    assert_int_equal(read_with("\"every\":100,\"last\":900", "\"every\":1000000000,\"last\":999000000000000", far), 0);
    assert_int_equal(read_with("\"every\":100,\"last\":900,\"formats\":[\"npy\",\"apng\"]",
                               "\"every\":1,\"last\":999999999999999,\"formats\":[\"apng\",\"svg\"]", far),
                     0);
}

/* ---- What decides the bits ------------------------------------------------------------------------------------- */

static int check_bits(const char *then, const char *now, const char *key)
{
    struct json_object *a, *b;
    struct engine_error error = {0};
    assert_int_equal(json_parse_object(then, strlen(then), &a, &error), 0);
    assert_int_equal(json_parse_object(now, strlen(now), &b, &error), 0);
    const int status = record_check_bits(a, b, &error);
    assert_true(status == 0 || strncmp(error.text, key, strlen(key)) == 0);
    json_object_put(a);
    json_object_put(b);
    return status;
}

static void other_bits_are_refused(void **state)
{
    static const char then[] = "{\"run.implementation\":\"cpu\",\"p.instructions\":\"avx512\"}";
    (void) state;
    assert_int_equal(check_bits(then, then, ""), 0);
    assert_int_equal(
        check_bits(then, "{\"run.implementation\":\"cpu\",\"p.instructions\":\"avx2\"}", "p.instructions: was avx512"),
        ENGINE_STATUS_USAGE);
    assert_int_equal(check_bits(then, "{\"run.implementation\":\"exact\"}", "run.implementation: was cpu"),
                     ENGINE_STATUS_USAGE);
    assert_int_equal(check_bits(then, "{\"run.implementation\":\"cpu\"}", ""), 0); /* not noted */
    assert_int_equal(check_bits("{}", then, ""), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_is_read),       cmocka_unit_test(what_was_not_written_yet_is_null),
        cmocka_unit_test(numbers_are_bounded),    cmocka_unit_test(files_are_bounded),
        cmocka_unit_test(other_bits_are_refused),
    };
    return cmocka_run_group_tests_name("records of checkpoints", tests, NULL, NULL);
}
